// SPDX-License-Identifier: MIT
// A resize is stamped when it is done. What it has left may be another thread's by then.
#include "command.hpp"
#include "record/guesses.h"
#include "record/recorded_program.hpp"
#include "record/recording.hpp"
#include "recording_parts.hpp"

#include <algorithm>
#include <array>
#include <doctest/doctest.h>

using namespace toft::lab;

namespace {

// The events of one thread, all of the same stack, as docs/recording-format.md has them.
class written_events {
  public:
    explicit written_events(std::uint64_t from) : first_time_(from), time_(from) {}

    void make(std::uint64_t time, std::uint64_t address) {
        call(time, toft_event_allocate);
        come(address);
    }
    // The object that it has made last.
    void move(std::uint64_t time, std::uint64_t to) {
        call(time, toft_event_resize);
        number(toft_column_addresses, toft_gone_guessed);
        come(to);
    }
    // Another thread's.
    void move_from(std::uint64_t time, std::uint64_t from, std::uint64_t to) {
        call(time, toft_event_resize);
        number(toft_column_addresses, toft_gone_written);
        number(toft_column_addresses, toft_folded(toft_rotated(from) - last_gone_));
        last_gone_ = toft_rotated(from);
        come(to);
    }

    void replace(recording_block &block) const {
        auto head = block.at<toft_events_payload>(0);
        head.first_time = first_time_;
        head.last_time = time_;
        std::copy(counts_.begin(), counts_.end(), head.counts);
        block.payload.resize(sizeof head);
        for (unsigned i = 0; i != toft_column_count; ++i) {
            head.plain_bytes[i] = head.compressed_bytes[i] =
                static_cast<std::uint32_t>(columns_[i].size());
            block.payload += columns_[i];
        }
        block.put(0, head);
        block.header.records = static_cast<std::uint32_t>(columns_[toft_column_kinds].size());
    }

  private:
    void call(std::uint64_t time, unsigned kind) {
        number(toft_column_kinds, (kind + toft_event_kinds - kind_) % toft_event_kinds);
        number(toft_column_times, first_time_ + time - time_);
        number(toft_column_stacks, 0);
        ++counts_[kind];
        kind_ = kind;
        time_ = first_time_ + time;
    }
    void come(std::uint64_t address) {
        constexpr std::uint64_t bytes = 24;
        number(toft_column_addresses, toft_address_written);
        number(toft_column_addresses, toft_folded(toft_rotated(address) - toft_rotated(behind_)));
        number(toft_column_sizes, bytes + 1);
        behind_ = address + toft_guessed_room(bytes);
    }
    void number(unsigned column, std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) columns_[column] += static_cast<char>(value | 0x80);
        columns_[column] += static_cast<char>(value);
    }

    std::array<std::string, toft_column_count> columns_;
    std::array<std::uint32_t, toft_event_kinds> counts_{};
    std::uint64_t first_time_, time_, behind_ = 0, last_gone_ = 0;
    unsigned kind_ = 0;
};

constexpr std::uint64_t at_a = 0x1000, at_b = 0x2000, at_c = 0x3000, at_d = 0x4000;
using two_addresses = std::array<std::uint64_t, 2>; // where an object was, or 0, and where it is

// The order in which three threads' events are read.
template <class Function>
std::vector<two_addresses> order_of(Function write) {
    const std::string path = scratch("moves.toft");
    REQUIRE(
        record_program({.words = {TOFT_RECORD_TARGET, "threads", "3"}, .file = path}).wait_status ==
        0);
    recording_parts parts(path);
    std::uint64_t begin = 0;
    for (const recording_block &block : parts.blocks)
        if (block.header.kind == toft_block_events)
            begin = std::max(begin, block.at<toft_events_payload>(0).first_time);
    std::array<written_events, 3> threads{written_events(begin), written_events(begin),
                                          written_events(begin)};
    write(threads);
    // Each thread once: the others' blocks go.
    std::array<bool, 3> is_there{};
    std::erase_if(parts.blocks, [&](recording_block &block) {
        if (block.header.kind != toft_block_events) return false;
        const std::uint32_t thread = block.at<toft_events_payload>(0).thread - 1;
        if (thread >= is_there.size() || is_there[thread]) return true;
        is_there[thread] = true;
        threads[thread].replace(block);
        return false;
    });
    REQUIRE((is_there[0] && is_there[1] && is_there[2]));
    parts.write(path);
    std::vector<two_addresses> moves;
    std::uint64_t last_ns = 0;
    read_recording(path).for_each([&](std::span<const heap_event> events) {
        for (const heap_event &e : events) {
            moves.push_back({e.old_address, e.address});
            CHECK(e.time_ns >= last_ns);
            last_ns = e.time_ns;
        }
    });
    return moves;
}

} // namespace

TEST_CASE("a move comes before the one that takes what it left, however many follow so") {
    const std::vector<two_addresses> order = order_of([](auto &threads) {
        threads[0].make(10, at_a);
        threads[1].make(20, at_b);
        threads[2].make(30, at_c);
        // What happened: c goes to d, then b to c, then a to b; and the third one makes an object
        // at a.
        threads[0].move(90, at_b);
        threads[1].move(80, at_c);
        threads[2].move(40, at_d);
        threads[2].make(50, at_a);
    });
    CHECK(
        order ==
        std::vector<two_addresses>{
            {0, at_a}, {0, at_b}, {0, at_c}, {at_c, at_d}, {at_b, at_c}, {at_a, at_b}, {0, at_a}});
}

TEST_CASE("an object that another thread moves, and moves on, comes before that") {
    const std::vector<two_addresses> order = order_of([](auto &threads) {
        threads[0].make(10, at_a);
        threads[1].move_from(50, at_a, at_b);
        threads[1].move(60, at_c);
        threads[2].make(40, at_d);
    });
    CHECK(order == std::vector<two_addresses>{{0, at_a}, {0, at_d}, {at_a, at_b}, {at_b, at_c}});
}

TEST_CASE("so does one that is resized in its place before another thread moves it") {
    const std::vector<two_addresses> order = order_of([](auto &threads) {
        threads[0].make(10, at_a);
        threads[0].move(20, at_a);
        threads[1].move_from(50, at_a, at_b);
        threads[2].make(40, at_d);
    });
    CHECK(order == std::vector<two_addresses>{{0, at_a}, {at_a, at_a}, {0, at_d}, {at_a, at_b}});
}

TEST_CASE("who takes what an object has left doesn't turn the order of its thread round") {
    const std::vector<two_addresses> order = order_of([](auto &threads) {
        threads[1].make(10, at_a);
        threads[1].move(50, at_b);
        threads[1].move(60, at_c);
        threads[0].make(30, at_a);
        threads[2].make(40, at_d);
    });
    CHECK(order ==
          std::vector<two_addresses>{{0, at_a}, {at_a, at_b}, {0, at_a}, {0, at_d}, {at_b, at_c}});
}

TEST_CASE("of two threads that move what lay at one address, the first one has left it") {
    const std::vector<two_addresses> order = order_of([](auto &threads) {
        threads[0].make(10, at_a);
        threads[0].move(50, at_b);
        threads[1].make(30, at_a);
        threads[2].move_from(60, at_a, at_c);
    });
    CHECK(order == std::vector<two_addresses>{{0, at_a}, {at_a, at_b}, {0, at_a}, {at_a, at_c}});
}
