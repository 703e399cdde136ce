// SPDX-License-Identifier: MIT
// Objects beyond what small classes hold: what is kept of them, for whom, and for how long.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <sys/resource.h>
#include <vector>

#include <toft/pool.h>

#include "os/fake/fake.h"
#include "support/build.hpp"
#include "support/pool_guard.hpp"
#include "support/resident.hpp"
#include "support/units.hpp"

using namespace toft_test;

namespace {

std::size_t page_faults() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::size_t>(usage.ru_minflt);
}

struct object {
    unsigned char *bytes = nullptr;
    std::size_t size = 0;
};

// Some live objects, each replaced by another of some size again and again. Every page of each is
// written once, with a number of its own at its ends, which must be there when it is freed.
class replaced_objects {
  public:
    replaced_objects(toft_pool *pool, std::size_t count, std::size_t least, std::size_t most)
        : pool_(pool),
          objects_(count),
          least_(least),
          most_(most) {}

    void replace(std::size_t times) {
        for (std::size_t i = 0; i < times; i++) {
            std::size_t size = least_ + random_() % (most_ - least_);
            auto *bytes = static_cast<unsigned char *>(toft_pool_alloc(pool_, size));
            REQUIRE(bytes != nullptr);
            for (std::size_t at = 0; at < size; at += 4096) bytes[at] = stamp(size);
            bytes[size - 1] = stamp(size);
            object &old = objects_[random_() % objects_.size()];
            free(old);
            old = {bytes, size};
            pages_ += size / 4096;
        }
    }
    void free_all() {
        for (object &old : objects_) free(old);
    }
    std::size_t pages_written() const { return pages_; }

  private:
    static unsigned char stamp(std::size_t size) { return static_cast<unsigned char>(size % 251); }

    void free(object &old) {
        if (old.bytes == nullptr) return;
        CHECK(old.bytes[0] == stamp(old.size));
        CHECK(old.bytes[old.size - 1] == stamp(old.size));
        toft_pool_free(pool_, old.bytes, old.size);
        old = {};
    }

    toft_pool *pool_;
    std::vector<object> objects_;
    std::size_t least_, most_;
    std::minstd_rand random_{7};
    std::size_t pages_ = 0;
};

} // namespace

TEST_CASE("objects of many MiB that come and go cost few page faults") {
    if (tracked() || thread_sanitizer) return;
    pool_guard pool;
    replaced_objects objects(pool, 16, 2 * mebibyte, 10 * mebibyte);
    objects.replace(64);
    std::size_t faults = page_faults(), pages = objects.pages_written();
    objects.replace(128);
    CHECK(page_faults() - faults <= (objects.pages_written() - pages) / 4);
    CHECK(kept_bytes(pool) <= live_bytes(pool) / 2 + 8 * mebibyte); // of what is idle in other ways
    objects.free_all();
    CHECK(kept_bytes(pool) <= 48 * mebibyte);
}

// With one to four live objects, what is freed is most of all that there is.
TEST_CASE("few objects of many MiB that come and go cost few page faults") {
    if (tracked() || thread_sanitizer) return;
    for (std::size_t count : {std::size_t{1}, std::size_t{2}, std::size_t{4}}) {
        CAPTURE(count);
        pool_guard pool;
        toft_fake_advance(1000);
        replaced_objects objects(pool, count, 5 * mebibyte, 25 * mebibyte);
        objects.replace(32);
        std::size_t faults = page_faults(), pages = objects.pages_written();
        objects.replace(64);
        CHECK(page_faults() - faults <= (objects.pages_written() - pages) / 3);
        objects.free_all();
        CHECK(kept_bytes(pool) <= std::max(std::size_t{48}, 29 * (count + 1)) * mebibyte);
        for (int step = 0; step < 2; step++) { // the first tells what is idle, the second gives it
            toft_fake_advance(5000);
            toft_pool_free(pool, toft_pool_alloc(pool, 2 * mebibyte), 2 * mebibyte);
        }
        CHECK(kept_bytes(pool) <= 3 * mebibyte);
    }
}

TEST_CASE("many objects that are freed together and made again cost few page faults") {
    if (tracked() || thread_sanitizer) return;
    struct batch {
        std::size_t count, size;
    };
    for (batch b : {batch{600, 64 << 10}, batch{60, 1100000}, batch{10, 10 << 20}}) {
        CAPTURE(b.size);
        pool_guard pool;
        std::vector<unsigned char *> objects(b.count);
        std::size_t pages = b.count * b.size / 4096, faults = 0;
        for (int round = 0; round < 8; round++) {
            if (round == 4) faults = page_faults();
            for (unsigned char *&object : objects) {
                object = static_cast<unsigned char *>(toft_pool_alloc(pool, b.size));
                for (std::size_t at = 0; at < b.size; at += 4096) object[at] = 1;
            }
            for (unsigned char *object : objects) toft_pool_free(pool, object, b.size);
        }
        CHECK(page_faults() - faults <= pages / 2); // of four times as many
        CHECK(kept_bytes(pool) <= b.count * b.size * 5 / 4);
    }
}

TEST_CASE("many objects below 1 MiB that come and go cost few page faults") {
    if (tracked() || thread_sanitizer) return;
    pool_guard pool;
    replaced_objects objects(pool, 300, 32 << 10, 1 << 20);
    objects.replace(2000);
    std::size_t faults = page_faults(), pages = objects.pages_written();
    objects.replace(2000);
    CHECK(page_faults() - faults <= (objects.pages_written() - pages) / 20);
    objects.free_all();
}

// Huge pages ask for more addresses than the object has.
TEST_CASE("where huge pages can't be had, ordinary ones do") {
    if (tracked()) return;
    pool_guard pool;
    for (int round = 0; round < 4; round++) {
        void *object = toft_pool_alloc(pool, 100 * mebibyte);
        REQUIRE(object != nullptr);
        toft_pool_free(pool, object, 100 * mebibyte);
        toft_pool_trim(pool);
    }
    toft_pool_free(pool, toft_pool_alloc(pool, 100), 100);
    std::size_t before = kept_bytes(pool);
    CHECK(before != 0);
    toft_fake_fail(1, false);
    void *object = toft_pool_alloc(pool, 20 * mebibyte);
    toft_fake_work();
    REQUIRE(object != nullptr);
    CHECK(kept_bytes(pool) == before); // what is idle wasn't given back for it
    toft_pool_free(pool, object, 20 * mebibyte);
}

TEST_CASE("zeroed memory that comes and goes is not kept, nor makes others be") {
    if (too_long_for_tsan()) return; // one thread
    if (tracked()) return;
    toft_trim();
    pool_guard pool;
    for (int round = 0; round < 5; round++) {
        void *zeroed = toft_pool_calloc(pool, 40, mebibyte);
        REQUIRE(zeroed != nullptr);
        std::memset(zeroed, 1, 40 * mebibyte);
        toft_pool_free(pool, zeroed, 40 * mebibyte);
        CHECK(kept_bytes(pool) == 0);
    }
}

TEST_CASE("at a limit, zeroed memory is what is kept, and costs nothing else of that") {
    if (tracked()) return;
    pool_guard pool({.limit_bytes = 64 * mebibyte});
    for (std::size_t size : {100u, 1000u}) {
        void *object = toft_pool_alloc(pool, size);
        toft_pool_free(pool, object, size);
    }
    void *live = toft_pool_alloc(pool, 10 * mebibyte); // so that the next is kept
    auto *dirty = static_cast<unsigned char *>(toft_pool_alloc(pool, 36 * mebibyte));
    REQUIRE((live != nullptr && dirty != nullptr));
    std::memset(dirty, 1, 36 * mebibyte);
    std::size_t before = kept_bytes(pool);
    toft_pool_free(pool, dirty, 36 * mebibyte);
    auto *zeroed = static_cast<unsigned char *>(toft_pool_calloc(pool, 36, mebibyte));
    REQUIRE(zeroed != nullptr);
    for (std::size_t at = 0; at < 36 * mebibyte; at += 512) CHECK(zeroed[at] == 0);
    CHECK(kept_bytes(pool) == before);
    toft_pool_free(pool, zeroed, 36 * mebibyte);
    toft_pool_free(pool, live, 10 * mebibyte);
}

TEST_CASE("what is given back before a long rest isn't kept after it") {
    if (tracked()) return;
    pool_guard pool;
    toft_fake_advance(1000);
    for (int job = 0; job < 5; job++) {
        std::vector<void *> objects;
        for (int i = 0; i < 100; i++) objects.push_back(toft_pool_alloc(pool, mebibyte / 2));
        void *long_one = toft_pool_alloc(pool, 200 * mebibyte);
        toft_pool_free(pool, long_one, 200 * mebibyte);
        for (void *object : objects) toft_pool_free(pool, object, mebibyte / 2);
        CHECK(kept_bytes(pool) <= 20 * mebibyte);
        toft_fake_advance(600'000);
    }
}

// Little of it may be touched: a huge page for each touched one would be 512 times as much.
TEST_CASE("zeroed memory and what stays lie on ordinary pages, whatever came and went") {
    if (tracked() || !fast_build || resident_bytes() == 0) return;
    pool_guard pool;
    auto churn = [&](std::size_t count, std::size_t size) {
        std::vector<void *> objects(count);
        for (int round = 0; round < 4; round++) {
            for (void *&object : objects) object = toft_pool_alloc(pool, size);
            for (void *object : objects) toft_pool_free(pool, object, size);
        }
    };
    auto touch_few = [](void *object, std::size_t size) {
        for (std::size_t at = 0; at < size; at += 2 * mebibyte) static_cast<char *>(object)[at] = 1;
    };
    churn(600, 65536);
    std::size_t before = resident_bytes();
    void *stays = toft_pool_alloc(pool, 100 * mebibyte);
    touch_few(stays, 100 * mebibyte);
    CHECK(resident_bytes() <= before + 10 * mebibyte);
    churn(30, 5 * mebibyte);
    before = resident_bytes();
    void *zeroed = toft_pool_calloc(pool, 60, mebibyte);
    touch_few(zeroed, 60 * mebibyte);
    zeroed = toft_pool_resize(pool, zeroed, 60 * mebibyte, 120 * mebibyte);
    REQUIRE(zeroed != nullptr);
    touch_few(zeroed, 120 * mebibyte);
    CHECK(resident_bytes() <= before + 10 * mebibyte);
    toft_pool_free(pool, zeroed, 120 * mebibyte);
    toft_pool_free(pool, stays, 100 * mebibyte);
}

TEST_CASE("objects of which little is touched lie on no more huge pages than came and went") {
    if (tracked() || !fast_build || resident_bytes() == 0) return;
    constexpr std::size_t filled = 16 * mebibyte, sparse = 8 * mebibyte;
    pool_guard pool;
    std::vector<void *> objects(6);
    for (int round = 0; round < 2; round++) {
        for (void *&object : objects) {
            object = toft_pool_alloc(pool, filled);
            REQUIRE(object != nullptr);
            std::memset(object, 1, filled);
        }
        for (void *object : objects) toft_pool_free(pool, object, filled);
    }
    std::size_t before = resident_bytes();
    objects.resize(200);
    for (void *&object : objects) {
        object = toft_pool_alloc(pool, sparse);
        REQUIRE(object != nullptr);
        for (std::size_t at = 0; at < sparse; at += 2 * mebibyte)
            static_cast<char *>(object)[at] = 1;
    }
    CHECK(resident_bytes() <= before + 3 * 6 * filled);
    for (void *object : objects) toft_pool_free(pool, object, sparse);
}

TEST_CASE("much zeroed memory is fresh, also where as much is kept") {
    if (tracked()) return;
    toft_trim();
    pool_guard pool;
    void *live = toft_pool_alloc(pool, 100 * mebibyte); // so that half as much may be kept
    for (int round = 0; round < 3; round++) {
        auto *object = static_cast<unsigned char *>(toft_pool_alloc(pool, 40 * mebibyte));
        for (std::size_t at = 0; at < 40 * mebibyte; at += 4096) object[at] = 1;
        toft_pool_free(pool, object, 40 * mebibyte);
        CHECK(kept_bytes(pool) >= 40 * mebibyte);
        std::size_t faults = page_faults();
        auto *zeroed = static_cast<unsigned char *>(toft_pool_calloc(pool, 40, mebibyte));
        for (std::size_t at = 0; at < 40 * mebibyte; at += mebibyte) CHECK(zeroed[at] == 0);
        if (fast_build) CHECK(page_faults() - faults <= 100);
        toft_pool_free(pool, zeroed, 40 * mebibyte);
    }
    toft_pool_free(pool, live, 100 * mebibyte);
}

TEST_CASE("very long mappings are not kept") {
    if (tracked()) return;
    toft_trim(); // what other tests' pools have left would be this one's
    pool_guard pool;
    void *much = toft_pool_alloc(pool, 400 * mebibyte);
    void *longer = toft_pool_alloc(pool, 70 * mebibyte);
    REQUIRE((much != nullptr && longer != nullptr));
    toft_pool_free(pool, longer, 70 * mebibyte);
    CHECK(kept_bytes(pool) == 0);
    toft_pool_free(pool, much, 400 * mebibyte);
}

TEST_CASE("what can never be had costs nothing of what is kept") {
    if (tracked()) return;
    pool_guard pool, limited({.limit_bytes = 64 * mebibyte});
    for (toft_pool *each : {static_cast<toft_pool *>(pool), static_cast<toft_pool *>(limited)}) {
        toft_pool_free(each, toft_pool_alloc(each, 4 * mebibyte), 4 * mebibyte);
        toft_pool_free(each, toft_pool_alloc(each, 100), 100);
    }
    std::size_t before = kept_bytes(pool), before_limited = kept_bytes(limited);
    REQUIRE((before >= 4 * mebibyte && before_limited >= 4 * mebibyte));
    for (std::size_t size = SIZE_MAX; size > SIZE_MAX >> 15; size /= 2) {
        volatile std::size_t bytes = size;
        CHECK(toft_pool_alloc(pool, bytes) == nullptr);
        CHECK(toft_pool_alloc_aligned(pool, 100, bytes / 2 + 1) == nullptr);
    }
    CHECK(kept_bytes(pool) == before);
    CHECK(toft_pool_alloc(limited, 64 * mebibyte) == nullptr);
    CHECK(kept_bytes(limited) == before_limited);
    // What may fit does, once the rest has gone.
    void *most = toft_pool_alloc(limited, 55 * mebibyte);
    CHECK(most != nullptr);
    toft_pool_free(limited, most, 55 * mebibyte);
}
