// SPDX-License-Identifier: MIT
#include "recorded_events.hpp"

#include "address_map.hpp"
#include "read_ahead.hpp"
#include "thread_events.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>

namespace toft::lab {
namespace {

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
        has_moves_between_threads_ = index.has_resizes && not_begun_.size() > 1;
    }

    void run(const read_ahead::hand_over &hand_over) {
        std::vector<heap_event> batch;
        batch.reserve(read_ahead::batch_size);
        const auto put = [&](const heap_event &e) {
            if (has_moves_between_threads_) follow(e);
            batch.push_back(e);
            if (batch.size() == read_ahead::batch_size) hand_over(batch);
        };
        while (begin_threads()) {
            waiting w = pop();
            std::uint64_t others = others_time();
            bool goes_on = true;
            do { // until another thread's turn
                if (is_left_soon(taken_by(w.event))) {
                    put_moves_before(w.event, put);
                    others = others_time();
                }
                put(w.event);
                goes_on = w.rest->next(w.event);
            } while (goes_on && w.event.time_ns < others);
            if (goes_on) push(std::move(w));
        }
        if (!batch.empty()) hand_over(batch);
    }

  private:
    static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

    static bool is_move(const heap_event &e) {
        return e.call == heap_call::resize && e.address != e.old_address;
    }

    // The addresses that an event takes, and that it leaves when its object has moved; 0: none.
    static std::uint64_t taken_by(const heap_event &e) {
        const bool takes = e.call == heap_call::allocate || is_move(e);
        return takes ? e.address : 0;
    }
    static std::uint64_t left_by(const heap_event &e) { return is_move(e) ? e.old_address : 0; }

    void follow(const heap_event &e) {
        const std::uint64_t left = e.call == heap_call::free ? e.address : left_by(e);
        if (left != 0)
            if (none *const object = live_.find(left)) live_.erase(object);
        if (const std::uint64_t taken = taken_by(e); taken != 0 && !live_.find(taken))
            live_.insert(taken, {});
    }

    // While an object is there, nobody gets its address. So who gets it all the same comes behind
    // the move that is still to come; where none is there, that move is of the object that comes.
    bool is_left_soon(std::uint64_t address) {
        return left_soon_.contains(address) && live_.find(address);
    }

    // A move is written down when it is done. What it leaves may be another thread's by then, at
    // the time of this event: so it comes before it. And before it the one that leaves what it
    // takes itself. None of them is another's successor in its thread: that one is waiting.
    template <class Put>
    void put_moves_before(const heap_event &taking, const Put &put) {
        std::vector<waiting> moves;
        for (std::uint64_t taken = taken_by(taking); is_left_soon(taken);
             taken = taken_by(moves.back().event))
            moves.push_back(take_move_from(taken));
        while (!moves.empty()) {
            waiting w = std::move(moves.back());
            moves.pop_back();
            w.event.time_ns = taking.time_ns;
            put(w.event);
            if (w.rest->next(w.event)) push(std::move(w));
        }
    }

    // The first of those that are waiting.
    waiting take_move_from(std::uint64_t address) {
        auto found = heap_.end();
        for (auto w = heap_.begin(); w != heap_.end(); ++w)
            if (left_by(w->event) == address &&
                (found == heap_.end() || is_earlier(w->event, found->event)))
                found = w;
        waiting moved = std::move(*found);
        if (found != heap_.end() - 1) *found = std::move(heap_.back());
        heap_.pop_back();
        std::make_heap(heap_.begin(), heap_.end(), is_later());
        forget(moved.event);
        return moved;
    }

    void note(const heap_event &next) {
        if (left_by(next) != 0) left_soon_.insert(left_by(next));
    }
    void forget(const heap_event &next) {
        if (const auto left = left_soon_.find(left_by(next)); left != left_soon_.end())
            left_soon_.erase(left);
    }

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
        note(w.event);
        heap_.push_back(std::move(w));
        std::push_heap(heap_.begin(), heap_.end(), is_later());
    }

    waiting pop() {
        std::pop_heap(heap_.begin(), heap_.end(), is_later());
        waiting w = std::move(heap_.back());
        heap_.pop_back();
        forget(w.event);
        return w;
    }

    const event_index &index_;
    std::vector<std::uint32_t> not_begun_; // the next one last
    std::vector<waiting> heap_;
    std::unordered_multiset<std::uint64_t> left_soon_; // by the next events of those in the heap

    // Objects that are there, where threads may take over what others' moves have left.
    struct none {};
    address_map<none> live_;
    bool has_moves_between_threads_ = false;
};

} // namespace

void for_each_event(const event_index &index,
                    const std::function<void(std::span<const heap_event>)> &callback) {
    read_ahead::run([&](const auto &hand_over) { merger(index).run(hand_over); }, callback);
}

} // namespace toft::lab
