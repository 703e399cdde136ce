// SPDX-License-Identifier: MIT
// Small objects in memory that large ones have left: see src/pool/large_room.c.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstring>
#include <random>
#include <vector>

#include <toft/pool.h>

#include "os/fake/fake.h"
#include "support/build.hpp"
#include "support/pool_guard.hpp"
#include "support/units.hpp"

using namespace toft_test;

namespace {

constexpr std::size_t small_bytes = 96;

// The segment in which the cache of the thread lies.
constexpr std::size_t left_bytes = mebibyte / 2;

void make_and_free(toft_pool *pool, std::size_t size) {
    void *object = toft_pool_alloc(pool, size);
    REQUIRE(object != nullptr);
    std::memset(object, 0xa5, size);
    toft_pool_free(pool, object, size);
}

// Objects that hold their own numbers.
class numbered {
  public:
    explicit numbered(toft_pool *pool) : pool_(pool) {}
    void make(std::size_t bytes) {
        for (std::size_t made = 0; made < bytes; made += small_bytes) {
            auto *object = static_cast<std::size_t *>(toft_pool_alloc(pool_, small_bytes));
            REQUIRE(object != nullptr);
            for (std::size_t i = 0; i < small_bytes / sizeof *object; i++)
                object[i] = objects_.size();
            objects_.push_back(object);
        }
    }
    void check_and_free() {
        for (std::size_t n = 0; n < objects_.size(); n++) {
            bool right = true;
            for (std::size_t i = 0; i < small_bytes / sizeof **objects_.data(); i++)
                right &= objects_[n][i] == n;
            CHECK(right);
            toft_pool_free(pool_, objects_[n], small_bytes);
        }
        objects_.clear();
    }

  private:
    toft_pool *pool_;
    std::vector<std::size_t *> objects_;
};

} // namespace

TEST_CASE("a small heap grows into what large objects have left") {
    if (tracked()) return;
    pool_guard pool;
    numbered small(pool);
    make_and_free(pool, 7 * mebibyte);
    std::size_t before = reserved_bytes(pool);
    small.make(5 * mebibyte);
    CHECK(reserved_bytes(pool) <= before + mebibyte);
    small.check_and_free();
    toft_pool_trim(pool);
    toft_pool_stats stats = toft_pool_get_stats(pool);
    CHECK(stats.reserved_bytes == left_bytes);
    CHECK(stats.upstream_allocations == stats.upstream_frees + 1);
}

TEST_CASE("what a small heap doesn't need of it serves large objects again") {
    if (tracked()) return;
    pool_guard pool;
    numbered small(pool);
    make_and_free(pool, 7 * mebibyte);
    std::size_t before = reserved_bytes(pool);
    small.make(mebibyte);
    make_and_free(pool, 5 * mebibyte);
    CHECK(reserved_bytes(pool) <= before + mebibyte);
    make_and_free(pool, 7 * mebibyte);
    CHECK(reserved_bytes(pool) <= before + 3 * mebibyte);
    small.check_and_free();
}

TEST_CASE("what large objects use again and again isn't cut while a heap grows") {
    if (tracked()) return;
    pool_guard pool;
    numbered small(pool);
    std::size_t growths = 0;
    for (int round = 0; round < 16; round++) {
        make_and_free(pool, 5 * mebibyte);
        std::size_t before = reserved_bytes(pool);
        small.make(mebibyte / 2);
        if (reserved_bytes(pool) > before) growths++;
    }
    CHECK(growths >= 15); // by new segments
    small.check_and_free();
}

TEST_CASE("mappings of any length become room, to their last segment") {
    if (tracked() || thread_sanitizer) return; // one thread, and much memory
    std::minstd_rand random{3};
    toft_trim();
    const std::size_t live_bytes = toft_fake_get_counts().live_bytes;
    for (int round = 0; round < 60; round++) {
        toft_trim(); // what the last pool has left would serve this one
        const std::size_t spacer_bytes = (1000 + random() % 100) * toft_os_page_bytes();
        void *spacer = toft_os_map(spacer_bytes, 1); // so that mappings end anywhere
        REQUIRE(spacer != nullptr);
        pool_guard pool;
        numbered small(pool);
        std::size_t size = mebibyte + random() % (6 * mebibyte);
        CAPTURE(size);
        make_and_free(pool, size);
        std::size_t before = reserved_bytes(pool);
        small.make(size / 2);
        CHECK(reserved_bytes(pool) <= before + mebibyte);
        make_and_free(pool, size / 2);
        small.make(size);
        small.check_and_free();
        toft_pool_trim(pool);
        CHECK(reserved_bytes(pool) == left_bytes);
        toft_os_unmap(spacer, spacer_bytes);
    }
    toft_trim();
    CHECK(toft_fake_get_counts().live_bytes <= live_bytes + 4 * mebibyte); // of the map
}
