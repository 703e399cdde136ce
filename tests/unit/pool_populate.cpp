// SPDX-License-Identifier: MIT
// Fresh spans of a class in use get all of their pages at once, and no others do. Objects here are
// allocated, but not touched: a page is resident only where the pool has asked for it.
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <vector>

#include <toft/pool.h>

#include "os/fake/fake.h"
#include "support/build.hpp"
#include "support/pool_guard.hpp"

using namespace toft_test;

namespace {

bool is_resident(const char *object) {
    std::uintptr_t page_bytes = toft_os_page_bytes();
    void *page = reinterpret_cast<void *>(reinterpret_cast<std::uintptr_t>(object) / page_bytes *
                                          page_bytes);
    unsigned char resident = 0;
    return mincore(page, page_bytes, &resident) == 0 && (resident & 1) != 0;
}

// Whether the system does it at all, and tells.
bool can_populate() {
    std::size_t page_bytes = toft_os_page_bytes();
    auto *memory = static_cast<char *>(toft_os_map(2 * page_bytes, page_bytes));
    REQUIRE(memory != nullptr);
    bool before = is_resident(memory + page_bytes);
    toft_os_populate(memory, 2 * page_bytes);
    bool after = is_resident(memory + page_bytes);
    toft_os_unmap(memory, 2 * page_bytes);
    return !before && after;
}

// Whether the system gives a huge page at its first touch.
bool has_huge_pages() {
    auto *memory = static_cast<char *>(toft_os_map(TOFT_HUGE_PAGE_BYTES, TOFT_HUGE_PAGE_BYTES));
    REQUIRE(memory != nullptr);
    memory[0] = 1;
    bool has = is_resident(memory + TOFT_HUGE_PAGE_BYTES - 1);
    toft_os_unmap(memory, TOFT_HUGE_PAGE_BYTES);
    return has;
}

// Takes objects of so many bytes in all, and frees them. Returns how many of them lay in pages that
// were resident.
std::size_t resident_objects(toft_pool *pool, std::size_t size, std::size_t bytes) {
    std::vector<char *> objects(bytes / size);
    for (char *&object : objects) {
        object = static_cast<char *>(toft_pool_alloc(pool, size));
        REQUIRE(object != nullptr);
    }
    std::size_t resident = 0;
    for (char *object : objects) {
        resident += is_resident(object) ? 1 : 0;
        toft_pool_free(pool, object, size);
    }
    return resident;
}

constexpr std::size_t span_bytes = std::size_t{32} << 10;

} // namespace

TEST_CASE("a class that has filled two spans has the pages of its next ones at once") {
    if (!fast_build || !can_populate()) return;
    toft_trim();
    pool_guard pool;
    std::size_t objects = resident_objects(pool, 64, 20 * span_bytes);
    CHECK(objects >= 16 * span_bytes / 64);
    CHECK(objects <= 19 * span_bytes / 64);
}

TEST_CASE("a class that is used little spends a page where it is touched") {
    if (!fast_build || !can_populate()) return;
    toft_trim();
    pool_guard pool;
    std::size_t resident = 0;
    for (std::size_t size = 64; size <= 4096; size *= 2)
        resident += resident_objects(pool, size, span_bytes / 2);
    CHECK(resident <= 16); // of 508: the pool's own records lie among those of 512 bytes
}

TEST_CASE("in a huge page, which was given as a whole, nobody asks for pages") {
    if (!fast_build || !can_populate()) return;
    toft_trim();
    pool_guard pool;
    const auto populations_of = [&pool](std::size_t bytes) {
        std::size_t before = toft_fake_get_counts().populations;
        for (std::size_t taken = 0; taken < bytes; taken += 64)
            REQUIRE(toft_pool_alloc(pool, 64) != nullptr); // until the pool goes
        return toft_fake_get_counts().populations - before;
    };
    constexpr std::size_t small_heap_bytes = std::size_t{10} << 20, more_bytes = small_heap_bytes;
    CHECK(populations_of(small_heap_bytes) > 100); // until there are huge pages
    std::size_t spans = more_bytes / span_bytes;
    if (has_huge_pages())
        CHECK(populations_of(more_bytes) == 0);
    else
        CHECK(populations_of(more_bytes) >= spans);
}

TEST_CASE("objects beyond a page are left untouched") {
    if (!fast_build || !can_populate()) return;
    toft_trim();
    pool_guard pool;
    CHECK(resident_objects(pool, 2 * toft_os_page_bytes(), 80 * span_bytes) == 0);
}

TEST_CASE("slots beyond a page lie in huge pages where they are filled, and only there") {
    if (!fast_build || !can_populate()) return;
    constexpr std::size_t size = 16384, small_heap = 800, count = 4000;
    toft_trim();
    // How many came with all of their pages, though nobody had touched them.
    const auto came_resident = [](std::size_t touched_bytes) {
        pool_guard pool;
        std::size_t resident = 0;
        for (std::size_t i = 0; i < count; i++) {
            auto *object = static_cast<char *>(toft_pool_alloc(pool, size));
            REQUIRE(object != nullptr);
            if (i >= small_heap) resident += is_resident(object + size - 1) ? 1 : 0;
            std::memset(object, 1, touched_bytes);
        }
        return resident;
    };
    CHECK(came_resident(100) == 0);
    toft_fake_give_huge_pages(true);
    CHECK(came_resident(100) == 0);
    toft_fake_give_huge_pages(false);
    if (has_huge_pages()) CHECK(came_resident(size) > (count - small_heap) / 2);
}
