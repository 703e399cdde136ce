// SPDX-License-Identifier: MIT
// The pattern of mimalloc's stress test (test/test-stress.c), on the pool: threads allocate blocks
// of mostly small and sometimes large sizes, keep some, free others in random order, and hand
// blocks on through a shared array, where whoever comes next takes them. Every word of every block
// is checked before its end.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include <toft/pool.h>

#include "support/build.hpp"
#include "support/pool_guard.hpp"

using namespace toft_test;

namespace {

constexpr std::uint64_t cookie = 0xbf58476d1ce4e5b9;

struct block {
    std::uint64_t words; // in all, this one included
};

class worker {
  public:
    worker(toft_pool *pool, std::vector<std::atomic<block *>> &shared, unsigned seed)
        : pool_(pool),
          shared_(shared),
          random_(seed) {}

    void run(unsigned operations) {
        std::vector<block *> kept, passing;
        for (unsigned i = 0; i < operations; i++) {
            if (chance(50)) {
                kept.push_back(make(1 + random_() % 32));
            } else {
                passing.push_back(make(1 + random_() % 128));
            }
            if (chance(50) && !passing.empty()) free_one_of(passing);
            if (chance(25) && !kept.empty()) hand_on_one_of(kept);
            if (chance(5)) trim_or_not();
        }
        for (block *b : kept) end(b);
        for (block *b : passing) end(b);
    }

    void end(block *b) {
        if (b == nullptr) return;
        auto *words = reinterpret_cast<std::uint64_t *>(b);
        std::uint64_t count = words[0];
        for (std::uint64_t i = 1; i < count; i++)
            if (words[i] != (cookie ^ (count - i))) std::abort();
        toft_pool_free(pool_, b, count * sizeof *words);
    }

  private:
    bool chance(unsigned percent) { return random_() % 100 < percent; }

    // One in a thousand is a hundred times as large, one in a hundred ten times.
    block *make(std::uint64_t words) {
        std::uint64_t luck = random_() % 1000;
        words *= luck == 0 ? 1000 : luck < 10 ? 100 : luck < 100 ? 10 : 1;
        auto *made = static_cast<std::uint64_t *>(toft_pool_alloc(pool_, words * sizeof words));
        if (made == nullptr) std::abort();
        made[0] = words;
        for (std::uint64_t i = 1; i < words; i++) made[i] = cookie ^ (words - i);
        return reinterpret_cast<block *>(made);
    }

    void free_one_of(std::vector<block *> &blocks) {
        std::swap(blocks[random_() % blocks.size()], blocks.back());
        end(blocks.back());
        blocks.pop_back();
    }

    void hand_on_one_of(std::vector<block *> &blocks) {
        block *&one = blocks[random_() % blocks.size()];
        one = shared_[random_() % shared_.size()].exchange(one);
        if (one == nullptr) {
            one = blocks.back();
            blocks.pop_back();
        }
    }

    void trim_or_not() {
        if (chance(1)) toft_pool_trim(pool_);
    }

    toft_pool *pool_;
    std::vector<std::atomic<block *>> &shared_;
    std::minstd_rand random_;
};

} // namespace

TEST_CASE("threads that keep, free and hand on blocks of all sizes find each as they left it") {
    const unsigned operations = std::getenv("TOFT_TEST_LONG") ? 200000 : fast_build ? 20000 : 2000;
    pool_guard own;
    for (toft_pool *pool : {toft_pool_shared(), static_cast<toft_pool *>(own)}) {
        std::size_t live_before = live_bytes(pool);
        std::vector<std::atomic<block *>> shared(1000);
        for (unsigned round = 0; round < 5; round++) {
            std::vector<std::thread> threads;
            for (unsigned i = 0; i < 8; i++)
                threads.emplace_back(
                    [&, i] { worker(pool, shared, round * 8 + i + 1).run(operations); });
            for (auto &thread : threads) thread.join();
            worker cleaner(pool, shared, 1);
            for (auto &place : shared)
                if (round % 2 == 1) cleaner.end(place.exchange(nullptr));
        }
        worker cleaner(pool, shared, 1);
        for (auto &place : shared) cleaner.end(place.exchange(nullptr));
        CHECK(live_bytes(pool) == live_before);
    }
}
