// SPDX-License-Identifier: MIT
// Pools that live as long as a document, and what they leave to each other.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <vector>

#include <toft/pool.h>
#include <toft/upstream.h>

extern "C" {
#include "os/os.h"
#include "pool/segments.h"
}
#include "os/fake/fake.h"
#include "support/at_once.hpp"
#include "support/build.hpp"
#include "support/child.hpp"
#include "support/pool_guard.hpp"
#include "support/pool_map.hpp"
#include "support/units.hpp"

using namespace toft_test;

namespace {

constexpr std::size_t segment_bytes = mebibyte / 2;
constexpr std::size_t kept_max_bytes = 16 * mebibyte;

struct object {
    unsigned char *bytes;
    std::size_t size;
};

std::vector<object> fill(toft_pool *pool, std::size_t count, std::size_t size, int byte) {
    std::vector<object> objects(count);
    for (object &made : objects) {
        made = {static_cast<unsigned char *>(toft_pool_alloc(pool, size)), size};
        REQUIRE(made.bytes != nullptr);
        std::memset(made.bytes, byte, size);
    }
    return objects;
}

bool holds(const object &made, int byte) {
    for (std::size_t i = 0; i < made.size; i++)
        if (made.bytes[i] != byte) return false;
    return true;
}

// Small objects, and some of the sizes that runs serve. Half of them die with the pool.
void use_for_a_document(toft_pool *pool, int byte) {
    std::vector<object> objects;
    for (std::size_t size : {24u, 300u, 5000u, 40000u, 150000u})
        for (const object &made : fill(pool, size < 10000 ? 50 : 2, size, byte))
            objects.push_back(made);
    for (std::size_t i = 0; i < objects.size(); i++) {
        CHECK(holds(objects[i], byte));
        if (i % 2 == 0) toft_pool_free(pool, objects[i].bytes, objects[i].size);
    }
}

// As a vector does.
void grow_to(toft_pool *pool, std::size_t most) {
    void *array = toft_pool_alloc(pool, 32);
    for (std::size_t size = 32; size < most; size *= 2) {
        void *longer = toft_pool_alloc(pool, 2 * size);
        REQUIRE(longer != nullptr);
        std::memcpy(longer, array, size);
        toft_pool_free(pool, array, size);
        array = longer;
    }
}

std::size_t live_bytes_of_system() {
    return toft_fake_get_counts().live_bytes - map_leaves() * map_leaf_bytes;
}

} // namespace

TEST_CASE("pools made one after the other ask the system for nothing more") {
    if (too_long_for_tsan()) return; // one thread
    if (tracked()) return;           // each object is watched then, and nothing is kept
    for (int i = 0; i < 2; i++) {
        pool_guard pool;
        use_for_a_document(pool, i);
    }
    toft_fake_counts before = toft_fake_get_counts();
    for (int i = 0; i < 100; i++) {
        pool_guard pool;
        use_for_a_document(pool, i);
    }
    CHECK(toft_fake_get_counts().calls == before.calls);
    CHECK(toft_fake_get_counts().live_bytes == before.live_bytes);
}

TEST_CASE("a pool of its own asks the system for nothing more as long as what it leaves is kept") {
    if (tracked()) return;
    for (std::size_t bytes : {6 * mebibyte, 10 * mebibyte, 14 * mebibyte}) {
        CAPTURE(bytes);
        toft_trim();
        for (int i = 0; i < 2; i++) fill(pool_guard(), bytes / 64, 64, i);
        toft_fake_counts before = toft_fake_get_counts();
        for (int i = 0; i < 10; i++) fill(pool_guard(), bytes / 64, 64, i);
        CHECK(toft_fake_get_counts().calls == before.calls);
        CHECK(toft_fake_get_counts().live_bytes == before.live_bytes);
    }
}

TEST_CASE("a pool makes no block of what another left that isn't aligned as one") {
    if (tracked()) return;
    toft_trim();
    auto *mapped = static_cast<char *>(toft_os_map(4 * mebibyte, 2 * mebibyte));
    REQUIRE(mapped != nullptr);
    char *crooked = mapped + mebibyte / 16; // as a run's block may be
    REQUIRE(toft_segments_give(crooked, 2 * mebibyte, 0));
    {
        pool_guard pool;
        for (const object &made : fill(pool, 10 * mebibyte / 64, 64, 7)) CHECK(holds(made, 7));
    }
    toft_trim(); // crooked too
    toft_os_unmap(mapped, mebibyte / 16);
    toft_os_unmap(crooked + 2 * mebibyte, 2 * mebibyte - mebibyte / 16);
}

TEST_CASE("what was moved to where the map had no room serves other pools") {
    if (tracked()) return;
    if (thread_sanitizer) return; // which knows only some of the addresses
    constexpr std::size_t size = 4 * mebibyte - 128, mapped = 4 * mebibyte;
    constexpr std::uintptr_t leaf = std::uintptr_t{1} << TOFT_POOL_MAP_LEAF_BITS;
    toft_trim();
    {
        pool_guard pool;
        void *object = toft_pool_alloc(pool, mebibyte * 3 / 2);
        REQUIRE(object != nullptr);
        std::uintptr_t boundary = 64 * leaf;
        while (toft_pool_map[boundary / leaf - 1] != 0 || toft_pool_map[boundary / leaf] != 0)
            boundary += leaf;
        void *across = reinterpret_cast<void *>(boundary - mapped / 2);
        REQUIRE(mmap(across, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
                     -1, 0) == across);
        toft_fake_move_next_remap(across);
        void *moved = toft_pool_resize(pool, object, mebibyte * 3 / 2, size);
        REQUIRE(moved > across);
        REQUIRE(moved < static_cast<char *>(across) + mapped);
    }
    pool_guard pool;
    for (const object &made : fill(pool, 200, 100000, 5)) CHECK(holds(made, 5));
}

TEST_CASE("a pool for each document asks the system for nothing more where arrays grow") {
    if (tracked()) return;
    for (std::size_t most : {mebibyte / 2, mebibyte, 2 * mebibyte}) {
        CAPTURE(most);
        toft_trim(); // there is room for what they leave
        for (int i = 0; i < 3; i++) grow_to(pool_guard(), most);
        toft_fake_counts before = toft_fake_get_counts();
        for (int i = 0; i < 100; i++) grow_to(pool_guard(), most);
        CHECK(toft_fake_get_counts().calls == before.calls);
        CHECK(toft_fake_get_counts().live_bytes == before.live_bytes);
    }
}

TEST_CASE("zeroed objects are zero where another pool's objects lay") {
    for (std::size_t size : {8u, 1000u, 30000u, 40000u, 100000u, 400000u, 3000000u}) {
        std::size_t count = std::max<std::size_t>(1, mebibyte / size);
        {
            pool_guard pool;
            fill(pool, count, size, 0xff);
        }
        pool_guard pool;
        for (std::size_t i = 0; i < count; i++) {
            object made = {static_cast<unsigned char *>(toft_pool_calloc(pool, 1, size)), size};
            REQUIRE(made.bytes != nullptr);
            CHECK(holds(made, 0));
            std::memset(made.bytes, 0xee, size);
        }
    }
}

TEST_CASE("zeroed objects are zero where another pool's memory couldn't be discarded") {
    toft_fake_refuse_discards(true);
    {
        pool_guard pools[2]; // the next pool takes a segment for itself, and one for runs
        for (toft_pool *pool : pools) {
            fill(pool, 1, 20, 1); // so that its block stays
            for (const object &made : fill(pool, 300, 1000, 0xff))
                toft_pool_free(pool, made.bytes, made.size);
            toft_pool_trim(pool);
        }
    }
    toft_fake_refuse_discards(false);
    pool_guard pool;
    for (int i = 0; i < 4; i++) {
        object made = {static_cast<unsigned char *>(toft_pool_calloc(pool, 1, 100000)), 100000};
        REQUIRE(made.bytes != nullptr);
        CHECK(holds(made, 0));
    }
}

TEST_CASE("a system of larger pages keeps what lies beside idle memory") {
    for (std::size_t page_bytes : {16384u, 65536u})
        CHECK(exit_code_in_child([=] {
                  toft_fake_set_page_bytes(page_bytes);
                  pool_guard pool;
                  std::vector<object> objects = fill(pool, 4000, 1000, 7);
                  for (std::size_t i = 0; i < objects.size(); i++)
                      if (i / 32 % 2 == 0) toft_pool_free(pool, objects[i].bytes, 1000);
                  toft_pool_trim(pool);
                  for (std::size_t i = 0; i < objects.size(); i++)
                      CHILD_REQUIRE(i / 32 % 2 == 0 || holds(objects[i], 7));
              }) == 0);
}

TEST_CASE("an address of a pool that was destroyed is no pool's") {
    void *small = nullptr, *large = nullptr;
    {
        pool_guard pool;
        small = toft_pool_alloc(pool, 100);
        large = toft_pool_alloc(pool, 100000);
        CHECK(toft_pool_of(small) == pool);
        CHECK(toft_pool_of(large) == pool);
    }
    CHECK(toft_pool_of(small) == nullptr);
    CHECK(toft_pool_of(large) == nullptr);
    pool_guard next;
    void *object = toft_pool_alloc(next, 5000);
    CHECK(toft_pool_of(object) == next);
    CHECK(toft_pool_of(static_cast<char *>(object) + 5000) != object);
}

TEST_CASE("a pool within a limit takes what others left, and no more than the limit") {
    { fill(pool_guard(), 100, 10000, 1); }
    pool_guard small({.limit_bytes = segment_bytes - 1});
    CHECK(toft_pool_alloc(small, 100) == nullptr);
    pool_guard pool({.limit_bytes = 2 * segment_bytes});
    std::size_t count = 0;
    while (toft_pool_alloc(pool, 1000) != nullptr) count++;
    CHECK(count >= 800);
    CHECK(toft_pool_get_stats(pool).reserved_bytes <= 2 * segment_bytes);
}

TEST_CASE("what destroyed pools leave is bounded, and goes back when it is asked for") {
    if (too_long_for_tsan()) return; // one thread
    if (tracked()) return;
    { use_for_a_document(pool_guard(), 1); } // the process's pool stays
    toft_trim();
    std::size_t before = live_bytes_of_system();
    {
        pool_guard pool;
        fill(pool, 100000, 1000, 1);
        fill(pool, 1000, 100000, 1);
    }
    CHECK(live_bytes_of_system() <= before + kept_max_bytes);
    CHECK(live_bytes_of_system() >= before + kept_max_bytes / 2);
    toft_trim();
    CHECK(live_bytes_of_system() <= before);
}

TEST_CASE("what destroyed pools leave decays, while another pool is used") {
    if (tracked()) return;
    pool_guard used;
    {
        pool_guard first, second; // small ones: they grow by what is kept
        fill(first, 7000, 1000, 1);
        fill(second, 7000, 1000, 1);
    }
    std::size_t before = live_bytes_of_system();
    for (int i = 0; i < 100; i++) {
        toft_fake_advance(100);
        for (const object &made : fill(used, 2000, 100, 1))
            toft_pool_free(used, made.bytes, made.size);
    }
    CHECK(live_bytes_of_system() + 12 * mebibyte <= before);
}

TEST_CASE("threads make and destroy pools of their own at once") {
    run_at_once(4, [](int t) {
        for (int i = 0; i < (fast_build ? 500 : 50); i++) {
            pool_guard pool;
            use_for_a_document(pool, t);
            if (i % 50 == t) toft_trim();
        }
    });
}
