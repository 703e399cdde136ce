// SPDX-License-Identifier: MIT
#include "recorded_events.hpp"

#include <algorithm>
#include <limits>

namespace toft::lab {
namespace {

constexpr std::size_t batch_size = 4096;

// Goes through one thread's events. Throws std::runtime_error when what is there can't be.
class thread_events {
  public:
    thread_events(const event_index &index, std::uint32_t thread)
        : index_(index),
          thread_(thread),
          blocks_(index.blocks[thread]) {}

    // The next one; false after the last.
    bool next(heap_event &e) {
        while (left_ == 0) {
            if (next_block_ == blocks_.size()) return false;
            open(blocks_[next_block_++]);
        }
        --left_;
        decode(e);
        return true;
    }

  private:
    void open(const event_block &);
    void decode(heap_event &);
    void decode_object(heap_event &, toft_event_kind);

    std::uint64_t number(unsigned column) {
        std::uint64_t value = 0;
        if (!take_number(columns_[column], value)) index_.file->damaged(offset_);
        return value;
    }

    std::uint64_t address();

    const event_index &index_;
    std::uint32_t thread_;
    const std::vector<event_block> &blocks_;
    std::size_t next_block_ = 0;

    // The block that is open.
    std::uint64_t offset_ = 0;
    std::uint32_t left_ = 0;
    recorded_bytes payload_, plain_;
    std::array<std::span<const std::byte>, toft_column_count> columns_;
    std::uint32_t time_shift_ = 0;
    std::uint64_t time_ = 0, stack_ = 0, last_address_ = 0;
    std::vector<std::uint64_t> touched_; // addresses, by all events of the block
};

void thread_events::open(const event_block &block) {
    offset_ = block.offset;
    payload_.resize(block.payload_bytes);
    index_.file->read(block.offset, payload_);
    std::span<const std::byte> rest = payload_;
    toft_events_payload head{};
    if (!take(rest, head) || head.time_shift > recorded_shift_most) index_.file->damaged(offset_);
    std::size_t plain_bytes = 0;
    for (const std::uint32_t bytes : head.plain_bytes) plain_bytes += bytes;
    if (plain_bytes > recorded_plain_bytes_most) index_.file->damaged(offset_);
    plain_.resize(plain_bytes);
    std::span<std::byte> room = plain_;
    for (unsigned i = 0; i < toft_column_count; ++i) {
        const std::span<std::byte> column = room.first(head.plain_bytes[i]);
        room = room.subspan(head.plain_bytes[i]);
        if (head.compressed_bytes[i] > rest.size()) index_.file->damaged(offset_);
        const std::span<const std::byte> stored = rest.first(head.compressed_bytes[i]);
        rest = rest.subspan(head.compressed_bytes[i]);
        if (stored.size() == column.size())
            std::copy(stored.begin(), stored.end(), column.begin());
        else if (!decompress(stored, column))
            index_.file->damaged(offset_);
        columns_[i] = column;
    }
    left_ = block.count;
    time_shift_ = head.time_shift;
    time_ = head.first_time;
    stack_ = last_address_ = 0;
    touched_.clear();
}

std::uint64_t thread_events::address() {
    const std::uint64_t ago = number(toft_column_addresses);
    if (ago > touched_.size()) index_.file->damaged(offset_);
    if (ago != 0) return touched_.emplace_back(touched_[touched_.size() - ago]);
    last_address_ += toft_unfolded(number(toft_column_addresses));
    return touched_.emplace_back(toft_unrotated(last_address_));
}

void thread_events::decode_object(heap_event &e, toft_event_kind kind) {
    e.call = heap_call::allocate;
    if (kind == toft_event_resize) {
        e.call = heap_call::resize;
        e.old_address = address();
    }
    e.address = address();
    e.bytes = number(toft_column_sizes);
    e.zeroed = kind == toft_event_zeroed;
    if (kind == toft_event_aligned) {
        const std::uint64_t log2 = number(toft_column_sizes);
        if (log2 >= 64) index_.file->damaged(offset_);
        e.alignment = log2 < 32 ? std::uint32_t{1} << log2 : std::uint32_t{1} << 31;
    }
}

void thread_events::decode(heap_event &e) {
    if (columns_[toft_column_kinds].empty()) index_.file->damaged(offset_);
    const auto kind = static_cast<toft_event_kind>(columns_[toft_column_kinds].front());
    columns_[toft_column_kinds] = columns_[toft_column_kinds].subspan(1);
    time_ += number(toft_column_times);
    stack_ += toft_unfolded(number(toft_column_stacks));
    if (kind >= toft_event_kinds || stack_ >= index_.stacks.size()) index_.file->damaged(offset_);
    e = {};
    e.time_ns = index_.clock.nanoseconds(time_ << time_shift_);
    e.stack = index_.stacks[stack_];
    e.thread = thread_;
    if (kind == toft_event_free) {
        e.call = heap_call::free;
        e.address = address();
    } else {
        decode_object(e, kind);
    }
}

// A thread in the queue, with its next event.
struct waiting {
    heap_event event;
    std::unique_ptr<thread_events> rest;
};

// At the same moment, what goes comes first: its memory may be the other's.
bool is_earlier(const heap_event &a, const heap_event &b) {
    if (a.time_ns != b.time_ns) return a.time_ns < b.time_ns;
    return a.call == heap_call::free && b.call != heap_call::free;
}

struct is_later {
    bool operator()(const waiting &a, const waiting &b) const {
        return is_earlier(b.event, a.event);
    }
};

class merger {
  public:
    explicit merger(const event_index &index) : index_(index) {
        for (std::uint32_t i = 0; i < index.blocks.size(); ++i)
            if (!index.blocks[i].empty()) not_begun_.push_back(i);
        std::sort(not_begun_.begin(), not_begun_.end(),
                  [&](std::uint32_t a, std::uint32_t b) { return first_time(a) > first_time(b); });
    }

    void run(const std::function<void(std::span<const heap_event>)> &callback) {
        std::vector<heap_event> batch;
        batch.reserve(batch_size);
        while (begin_threads()) {
            waiting w = pop();
            // Until another thread's turn.
            for (bool mine = true; mine;) {
                batch.push_back(w.event);
                if (batch.size() == batch_size) {
                    callback(batch);
                    batch.clear();
                }
                if (!w.rest->next(w.event)) break;
                mine = w.event.time_ns < others_time();
                if (!mine) push(std::move(w));
            }
        }
        if (!batch.empty()) callback(batch);
    }

  private:
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

    std::uint64_t first_time(std::uint32_t thread) const {
        return index_.clock.nanoseconds(index_.blocks[thread].front().first_ticks);
    }

    std::uint64_t others_time() const {
        const std::uint64_t begun = heap_.empty() ? never : heap_.front().event.time_ns;
        const std::uint64_t next = not_begun_.empty() ? never : first_time(not_begun_.back());
        return std::min(begun, next);
    }

    // Those whose first event is due. False when there is nothing left.
    bool begin_threads() {
        while (!not_begun_.empty() &&
               (heap_.empty() || first_time(not_begun_.back()) <= heap_.front().event.time_ns)) {
            waiting w{{}, std::make_unique<thread_events>(index_, not_begun_.back())};
            not_begun_.pop_back();
            if (w.rest->next(w.event)) push(std::move(w));
        }
        return !heap_.empty();
    }

    void push(waiting w) {
        heap_.push_back(std::move(w));
        std::push_heap(heap_.begin(), heap_.end(), is_later());
    }

    waiting pop() {
        std::pop_heap(heap_.begin(), heap_.end(), is_later());
        waiting w = std::move(heap_.back());
        heap_.pop_back();
        return w;
    }

    const event_index &index_;
    std::vector<std::uint32_t> not_begun_; // the next one last
    std::vector<waiting> heap_;
};

} // namespace

void for_each_event(const event_index &index,
                    const std::function<void(std::span<const heap_event>)> &callback) {
    merger(index).run(callback);
}

} // namespace toft::lab
