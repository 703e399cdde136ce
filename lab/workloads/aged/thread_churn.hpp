// SPDX-License-Identifier: MIT
#pragma once

#include "cases.hpp"
#include "footprint.hpp"
#include "random.hpp"
#include "subject/meeting_point.hpp"
#include "workloads/pool/objects.hpp"

#include <algorithm>
#include <thread>
#include <vector>

// `thread-churn`: in each round four new threads come. Each frees what a thread of the last round
// has left to it, allocates objects of 16 to 512 bytes, frees three quarters of them, leaves the
// rest to a thread of the next round, and ends.
namespace toft::lab {

template <class Door>
class thread_churn {
  public:
    explicit thread_churn(std::uint64_t usual_objects) : usual_objects_(usual_objects) {
        for (unsigned i = 0; i != threads; ++i)
            lots_.push_back({.random = xorshift(i), .slots = std::vector<slot>(usual_objects)});
    }

    std::uint64_t objects(unsigned round) const { return threads * objects_of_thread(round); }

    void round(unsigned round, footprint &memory) {
        const std::uint64_t count = objects_of_thread(round);
        meeting_point full(threads);
        std::vector<std::jthread> team;
        for (unsigned i = 0; i != threads; ++i)
            team.emplace_back([this, i, round, count, &full, &memory] {
                lot &mine = lots_[(i + round) % threads];
                mine.free_all();
                mine.fill(count);
                full.pass();
                if (i == 0) memory.note_peak();
                full.pass(); // before anything is freed
                mine.free_most();
                if (round == aged_rounds) mine.free_all();
            });
    }

    bool agrees() const {
        return std::all_of(lots_.begin(), lots_.end(), [](const lot &l) { return l.agrees; });
    }

  private:
    static constexpr unsigned threads = 4;

    struct slot {
        void *object = nullptr;
        std::uint32_t size = 0;
    };

    // Passed from thread to thread.
    struct lot {
        xorshift random;
        std::vector<slot> slots;
        bool agrees = true;
        Door door = {};

        [[gnu::noinline]] void fill(std::uint64_t count) {
            for (std::uint64_t i = 0; i != count; ++i) {
                slot &s = slots[i];
                s.size = 16 + random() % 497;
                s.object = door.allocate(s.size);
                stamp(s.object, s.size);
            }
        }
        [[gnu::noinline]] void free_slot(slot &s) {
            agrees &= has_stamp(s.object, s.size);
            door.free(s.object, s.size);
            s.object = nullptr;
        }
        void free_most() {
            for (slot &s : slots)
                if (s.object != nullptr && random() % 4 != 0) free_slot(s);
        }
        void free_all() {
            for (slot &s : slots)
                if (s.object != nullptr) free_slot(s);
        }
    };

    std::uint64_t objects_of_thread(unsigned round) const {
        return share_of(usual_objects_, round_percents[round - 1]);
    }

    std::uint64_t usual_objects_;
    std::vector<lot> lots_;
};

} // namespace toft::lab
