// SPDX-License-Identifier: MIT
#pragma once

#include "guesses.h"
#include "recorded_events.hpp"

#include <array>
#include <span>
#include <vector>

// One thread's events, decoded from its blocks one after the other.
namespace toft::lab {

class thread_events {
  public:
    thread_events(const event_index &index, std::uint32_t thread)
        : index_(index),
          thread_(thread),
          blocks_(index.blocks[thread]) {}

    // The next one; false after the last. Throws std::runtime_error when what is there can't be.
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
    struct touch {
        std::uint64_t address;
        toft_maker maker;
    };

    void open(const event_block &);
    void open_columns(const toft_events_payload &, std::span<const std::byte> stored);
    void decode(heap_event &);
    void decode_object(heap_event &, toft_event_kind, toft_site_guess &);
    touch gone(const toft_site_guess &);
    std::uint64_t freed_address(toft_site_guess &);
    std::uint64_t made_address(toft_site_guess &);
    std::uint64_t written_address(std::uint64_t code);
    const touch &touched_ago(std::uint64_t ago) const;
    [[noreturn]] void damaged() const { index_.file->damaged(offset_); }

    std::uint64_t number(unsigned column) {
        std::span<const std::byte> &from = columns_[column];
        if (!from.empty() && from.front() < std::byte{0x80}) { // most numbers
            const auto value = static_cast<std::uint64_t>(from.front());
            from = from.subspan(1);
            return value;
        }
        std::uint64_t value = 0;
        if (!take_number(from, value)) damaged();
        return value;
    }

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
    std::uint64_t time_ = 0, time_ns_ = 0, stack_ = 0, last_freed_ = 0;
    std::vector<touch> touched_; // by all events of the block
    toft_guesses guesses_{};
    std::vector<std::uint64_t> guesses_memory_;
};

} // namespace toft::lab
