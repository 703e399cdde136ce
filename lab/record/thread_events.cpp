// SPDX-License-Identifier: MIT
#include "thread_events.hpp"

#include <algorithm>
#include <bit>

namespace toft::lab {

void thread_events::open_columns(const toft_events_payload &head,
                                 std::span<const std::byte> stored) {
    std::size_t plain_bytes = 0;
    for (const std::uint32_t bytes : head.plain_bytes) plain_bytes += bytes;
    if (plain_bytes > recorded_plain_bytes_most) damaged();
    plain_.resize(plain_bytes);
    std::span<std::byte> room = plain_;
    for (unsigned i = 0; i < toft_column_count; ++i) {
        const std::span<std::byte> column = room.first(head.plain_bytes[i]);
        room = room.subspan(head.plain_bytes[i]);
        if (head.compressed_bytes[i] > stored.size()) damaged();
        const std::span<const std::byte> from = stored.first(head.compressed_bytes[i]);
        stored = stored.subspan(head.compressed_bytes[i]);
        if (from.size() == column.size())
            std::copy(from.begin(), from.end(), column.begin());
        else if (!decompress(from, column))
            damaged();
        columns_[i] = column;
    }
}

void thread_events::open(const event_block &block) {
    offset_ = block.offset;
    payload_.resize(block.payload_bytes);
    index_.file->read(block.offset, payload_);
    std::span<const std::byte> rest = payload_;
    toft_events_payload head{};
    if (!take(rest, head) || head.time_shift > recorded_shift_most ||
        !std::has_single_bit(head.capacity) || head.capacity < toft_block_events_least ||
        head.capacity > toft_block_events_most || block.count > head.capacity)
        damaged();
    open_columns(head, rest);
    left_ = block.count;
    time_shift_ = head.time_shift;
    time_ = head.first_time;
    time_ns_ = index_.clock.nanoseconds(time_ << time_shift_);
    stack_ = last_freed_ = 0;
    touched_.clear();
    guesses_memory_.resize(toft_guesses_bytes(head.capacity) / sizeof(std::uint64_t));
    toft_begin_guesses(&guesses_, head.capacity, guesses_memory_.data());
}

const thread_events::touch &thread_events::touched_ago(std::uint64_t ago) const {
    if (ago > touched_.size()) damaged();
    return touched_[touched_.size() - ago];
}

thread_events::touch thread_events::gone(const toft_site_guess &site) {
    const std::uint64_t code = number(toft_column_addresses);
    if (code == toft_gone_guessed)
        return {toft_guessed_free(&guesses_, &site), toft_maker_guessed(&guesses_, &site)};
    if (code > toft_gone_touched) return touched_ago(code - toft_gone_touched);
    last_freed_ += toft_unfolded(number(toft_column_addresses));
    return {toft_unrotated(last_freed_), {0, toft_class_unknown}};
}

std::uint64_t thread_events::freed_address(toft_site_guess &site) {
    touched_.push_back(gone(site));
    const touch &last = touched_.back();
    toft_guess_freed(&guesses_, &site, last.maker, last.address);
    return last.address;
}

// Neither among the freed ones nor behind the last object.
std::uint64_t thread_events::written_address(std::uint64_t code) {
    if (code > toft_address_touched) return touched_ago(code - toft_address_touched).address;
    return toft_unrotated(toft_rotated(guesses_.behind_far) +
                          toft_unfolded(number(toft_column_addresses)));
}

std::uint64_t thread_events::made_address(toft_site_guess &site) {
    const std::uint64_t code = number(toft_column_addresses);
    std::uint64_t address = guesses_.behind_last;
    if (code == toft_address_newest || (code > toft_address_freed && code < toft_address_written)) {
        const std::uint64_t newer = code == toft_address_newest ? 0 : code - toft_address_freed;
        toft_freed &freed = guesses_.freed[toft_class_of(&guesses_, site.bytes)];
        if (newer >= freed.count) damaged();
        address = toft_take_freed(&freed, static_cast<std::uint32_t>(newer));
    } else if (code != toft_address_behind) {
        address = written_address(code);
        guesses_.behind_far = address + toft_guessed_room(site.bytes);
    }
    touched_.push_back({address, toft_guess_made(&guesses_, &site, address, site.bytes)});
    return address;
}

void thread_events::decode_object(heap_event &e, toft_event_kind kind, toft_site_guess &guess) {
    e.call = heap_call::allocate;
    if (kind == toft_event_resize) {
        e.call = heap_call::resize;
        e.old_address = freed_address(guess);
    }
    const std::uint64_t size = number(toft_column_sizes);
    if (size != 0) guess.bytes = size - 1;
    e.bytes = guess.bytes;
    e.address = made_address(guess);
    e.zeroed = kind == toft_event_zeroed;
    if (kind == toft_event_aligned) {
        const std::uint64_t log2 = number(toft_column_sizes);
        if (log2 >= 64) damaged();
        e.alignment = log2 < 32 ? std::uint32_t{1} << log2 : std::uint32_t{1} << 31;
    }
}

void thread_events::decode(heap_event &e) {
    if (columns_[toft_column_kinds].empty()) damaged();
    const auto change = static_cast<std::uint32_t>(columns_[toft_column_kinds].front());
    columns_[toft_column_kinds] = columns_[toft_column_kinds].subspan(1);
    if (const std::uint64_t passed = number(toft_column_times); passed != 0) {
        time_ += passed;
        time_ns_ = index_.clock.nanoseconds(time_ << time_shift_);
    }
    stack_ += toft_unfolded(number(toft_column_stacks));
    if (change >= toft_event_kinds || stack_ >= index_.stacks.size()) damaged();
    toft_site_guess &guess = *toft_guess_of(&guesses_, stack_);
    guess.kind = (guess.kind + change) % toft_event_kinds;
    const auto kind = static_cast<toft_event_kind>(guess.kind);
    e = {};
    e.time_ns = time_ns_;
    e.stack = index_.stacks[stack_];
    e.thread = thread_;
    if (kind == toft_event_free) {
        e.call = heap_call::free;
        e.address = freed_address(guess);
    } else {
        decode_object(e, kind, guess);
    }
    // Nobody records a null pointer, and what looks addresses up has no place for one.
    if (e.address == 0 || (e.call == heap_call::resize && e.old_address == 0)) damaged();
}

} // namespace toft::lab
