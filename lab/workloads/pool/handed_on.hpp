// SPDX-License-Identifier: MIT
#pragma once

#include "objects.hpp"
#include "subject/session.hpp"
#include "team.hpp"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

// A pipeline: one thread allocates, and another one frees.
namespace toft::lab {

using block = std::vector<void *>;
constexpr std::size_t block_objects = 2000;
constexpr std::size_t blocks_under_way = 16;

class block_queue {
  public:
    void put(block &&b) {
        {
            const std::lock_guard lock(mutex_);
            blocks_.push_back(std::move(b));
        }
        changed_.notify_one();
    }
    block take() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return !blocks_.empty(); });
        block b = std::move(blocks_.front());
        blocks_.pop_front();
        return b;
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<block> blocks_;
};

template <class Door>
struct pipeline_worker {
    Door door;
    bool allocates;
    std::uint64_t blocks;
    block_queue &full, &empty;
    void operator()() {
        for (std::uint64_t i = 0; i != blocks; ++i)
            if (allocates)
                fill(static_cast<std::uint32_t>(i));
            else
                drain();
    }

  private:
    [[gnu::noinline]] void fill(std::uint32_t value) {
        block b = empty.take();
        for (void *&object : b) {
            object = door.allocate(64);
            stamp(object, value);
        }
        full.put(std::move(b));
    }
    [[gnu::noinline]] void drain() {
        block b = full.take();
        for (void *object : b) door.free(object, 64);
        empty.put(std::move(b));
    }
};

template <class Door>
void time_handing_on(session &run) {
    const pool_case &c = find_pool_case(run.case_name());
    const std::uint64_t blocks = std::max<std::uint64_t>(1, run.size() * c.factor / block_objects);
    const std::uint64_t pairs = blocks * block_objects;
    if (Door::on_malloc) run.expect_heap_allocations(pairs);
    block_queue full, empty;
    for (std::size_t i = 0; i != blocks_under_way; ++i) empty.put(block(block_objects));
    time_rounds(run, c.threads, pairs, [&](unsigned thread) {
        return pipeline_worker<Door>{Door(), thread == 0, blocks, full, empty};
    });
}

} // namespace toft::lab
