// SPDX-License-Identifier: MIT
// Broken rules of a reap: one clear line and an abort, or a tool that sees it.
#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include <toft/reap.h>

#include "support/build.hpp"
#include "support/last_words.hpp"
#include "support/reap_guard.hpp"
#include "support/scatter.hpp"

using namespace toft_test;

namespace {

template <class F>
void expect(const std::string &sign, F function) {
    expect_one_line(sign, [&] {
        toft_reap reap = TOFT_REAP_INIT;
        function(&reap);
    });
}

void *alloc(toft_reap *reap) { return toft_reap_alloc(reap, 24, 8); }
void free(toft_reap *reap, void *object) { toft_reap_free(reap, object, 24, 8); }

} // namespace

TEST_CASE("a reap tells broken rules") {
    expect("twice", [](toft_reap *reap) {
        void *object = alloc(reap);
        free(reap, object);
        free(reap, object);
    });
    expect("twice", [](toft_reap *reap) { // among others that live
        void *objects[3];
        for (void *&object : objects) object = alloc(reap);
        for (void *object : {objects[0], objects[1], objects[1]}) free(reap, object);
    });
    expect(tracked() ? "never allocated" : "more was freed to a reap than was allocated",
           [](toft_reap *reap) {
               static long outside[6];
               free(reap, alloc(reap));
               free(reap, outside + 3);
           });
    expect("holds nothing", [](toft_reap *reap) {
        static long outside[3];
        free(reap, outside);
    });
    expect("holds nothing", [](toft_reap *reap) {
        static long outside[3];
        toft_reap_options options = {};
        toft_reap_init(reap, &options);
        free(reap, outside);
    });
    expect("another size or alignment than it was allocated with: as 99999 bytes (aligned to 8), "
           "but it is an object of 100000 bytes\n",
           [](toft_reap *reap) {
               void *object = toft_reap_alloc(reap, 100000, 8);
               toft_reap_free(reap, object, 99999, 8);
           });
    expect("with: as 99999 bytes (aligned to 8), but it is an object of 100000 bytes\n",
           [](toft_reap *reap) {
               void *object = toft_reap_alloc(reap, 100000, 8);
               if (toft_reap_save(reap) == nullptr) return;
               (void)!toft_reap_resize(reap, object, 99999, 200000, 8);
           });
    expect("with: as 100000 bytes (aligned to 0), "
           "but it is an object of this size with another alignment\n",
           [](toft_reap *reap) {
               void *object = toft_reap_alloc(reap, 100000, 8);
               toft_reap_free(reap, object, 100000, 0);
           });
    // How large the object is stands nowhere, unless a tool tracks memory.
    expect("with: as 70000 bytes (aligned to 16)\n", [](toft_reap *reap) {
        void *object = toft_reap_alloc(reap, 96, 16);
        std::memset(object, 1, 96);
        toft_reap_free(reap, static_cast<char *>(object) + 48, 70000, 16);
    });
    // What lies in front of it has its size, but is no note of the reap's. (Tools' lie apart.)
    expect(tracked() ? "with: as 70000 bytes (aligned to 16)\n" : "twice, or never allocated\n",
           [](toft_reap *reap) {
               static void *elsewhere;
               struct {
                   void *block, *next, *link;
                   std::size_t size;
               } note = {nullptr, nullptr, &elsewhere, 70000};
               auto *object = static_cast<char *>(toft_reap_alloc(reap, 96, 16));
               std::memcpy(object + 48 - sizeof note, &note, sizeof note);
               toft_reap_free(reap, object + 48, 70000, 16);
           });
    expect("ended already", [](toft_reap *reap) {
        toft_reap_savepoint *point = toft_reap_save(reap);
        toft_reap_rewind(reap, point);
        toft_reap_rewind(reap, point);
    });
    expect("ended already", [](toft_reap *reap) {
        toft_reap_savepoint *outer = toft_reap_save(reap);
        toft_reap_savepoint *inner = toft_reap_save(reap);
        toft_reap_rewind(reap, outer);
        toft_reap_rewind(reap, inner);
    });
    expect("ended already", [](toft_reap *reap) {
        toft_reap_savepoint *point = toft_reap_save(reap);
        toft_reap_reset(reap);
        toft_reap_rewind(reap, point);
    });
    expect("ended already", [](toft_reap *reap) { // by what is deferred
        static toft_reap *used;
        static toft_reap_savepoint *outer;
        used = reap;
        outer = toft_reap_save(reap);
        toft_reap_savepoint *inner = toft_reap_save(reap);
        const auto rewind = [](void *) { toft_reap_rewind(used, outer); };
        if (toft_arena_defer(toft_reap_arena(reap), rewind, nullptr)) toft_reap_rewind(reap, inner);
    });
    expect("another reap", [](toft_reap *reap) {
        toft_reap other = TOFT_REAP_INIT;
        toft_reap_rewind(reap, toft_reap_save(&other));
    });
    expect("copied by assignment", [](toft_reap *reap) {
        void *object = alloc(reap);
        toft_reap copy = *reap;
        free(&copy, object);
    });
    expect("copied by assignment", [](toft_reap *reap) {
        alignas(16) static char buffer[1000];
        toft_reap_options options = {};
        options.first_buffer = buffer;
        options.first_buffer_bytes = sizeof buffer;
        toft_reap_init(reap, &options);
        void *object = alloc(reap);
        toft_reap copy = *reap;
        free(&copy, object);
    });
}

TEST_CASE("a reap tells a wrong size after notes of its large objects were overwritten") {
    if (tracked()) return; // the tool tells who writes there
    alignas(16) static char buffer[500000];
    constexpr std::size_t size = 100000, note_bytes = 32;
    const auto free_overrun = [](toft_reap *reap, std::size_t which, std::size_t bytes, int byte) {
        toft_reap_options options = {};
        options.first_buffer = buffer;
        options.first_buffer_bytes = sizeof buffer;
        toft_reap_init(reap, &options);
        std::array<void *, 3> objects;
        for (void *&object : objects) object = toft_reap_alloc(reap, size, 16);
        std::memset(static_cast<char *>(objects[0]) + size, byte, bytes);
        toft_reap_free(reap, objects[which], size - 1, 16);
    };
    const std::string freed_as = "with: as 99999 bytes (aligned to 16)";
    for (int byte : {1, 0x41, 0xff}) {
        CAPTURE(byte);
        for (std::size_t bytes : {note_bytes / 4, note_bytes / 2, note_bytes}) {
            CAPTURE(bytes);
            for (std::size_t which : {0U, 1U}) // the second lost its note
                expect(freed_as + "\n",
                       [=](toft_reap *reap) { free_overrun(reap, which, bytes, byte); });
            expect(freed_as + ", but it is an object of 100000 bytes\n",
                   [=](toft_reap *reap) { free_overrun(reap, 2, bytes, byte); });
        }
    }
}

TEST_CASE("a reap tells a large object that was freed already, or is of another reap") {
    const std::string twice =
        tracked() ? "freed to a reap twice, or with another size, or never allocated"
                  : "freed to a reap twice, or never allocated\n";
    static constexpr std::size_t size = 100000;
    expect(twice, [](toft_reap *reap) {
        void *object = toft_reap_alloc(reap, size, 8);
        toft_reap_free(reap, object, size, 8);
        toft_reap_free(reap, object, size, 8);
    });
    expect(twice, [](toft_reap *reap) { // others are freed in between
        std::array<void *, 3> objects;
        for (void *&object : objects) object = toft_reap_alloc(reap, size, 8);
        for (void *object : objects) toft_reap_free(reap, object, size, 8);
        toft_reap_free(reap, objects[1], size, 8);
    });
    // The reap that it is freed to has a small object, a large slot, or a larger object.
    for (std::size_t bytes : {std::size_t(24), std::size_t(30000), std::size_t(1000000)}) {
        CAPTURE(bytes);
        expect("freed to a reap that it is not of\n", [=](toft_reap *reap) {
            toft_reap other = TOFT_REAP_INIT;
            (void)(toft_reap_alloc(reap, bytes, 8) == nullptr);
            toft_reap_free(reap, toft_reap_alloc(&other, size, 8), size, 8);
        });
        expect("freed to a reap that it is not of\n",
               [=](toft_reap *reap) { // a resize, after a move
                   toft_reap other = TOFT_REAP_INIT, moved;
                   (void)(toft_reap_alloc(reap, bytes, 8) == nullptr);
                   void *object = toft_reap_alloc(&other, size, 8);
                   toft_reap_move(&moved, &other);
                   (void)!toft_reap_resize(reap, object, size, size + 1, 8);
               });
    }
    alignas(16) static char buffer[500000];
    for (bool buffer_is_its : {false, true})
        expect("freed to a reap that it is not of\n", [=](toft_reap *reap) {
            toft_reap other = TOFT_REAP_INIT;
            toft_reap_options options = {};
            options.first_buffer = buffer;
            options.first_buffer_bytes = sizeof buffer;
            toft_reap_init(buffer_is_its ? reap : &other, &options);
            (void)(toft_reap_alloc(reap, size, 8) == nullptr);
            toft_reap_free(reap, toft_reap_alloc(&other, size, 8), size, 8);
        });
}

TEST_CASE("a large reap finds another's object when it puts what is free in order") {
    if (tracked()) return;
    expect("freed to a reap that it is not of", [](toft_reap *reap) {
        toft_reap other = TOFT_REAP_INIT;
        std::vector<void *> objects(300000);
        for (void *&object : objects) object = alloc(reap);
        scatter(objects, objects.size());
        free(reap, alloc(&other));
        for (std::size_t i = 0; i < 20000; i++) free(reap, objects[i]);
        for (std::size_t i = 0; i < 20000; i++) objects[i] = alloc(reap);
    });
}

TEST_CASE("while a tool tracks memory, a reap finds more mistakes") {
    if (!tracked()) return;
    expect("with: as 120 bytes, but it is an object of 100 bytes\n", [](toft_reap *reap) {
        void *object = toft_reap_alloc(reap, 100, 8);
        toft_reap_free(reap, object, 120, 8);
    });
    expect("another size, or never allocated: as 24 bytes\n", [](toft_reap *reap) {
        void *object = alloc(reap), *other = alloc(reap);
        free(reap, object);
        free(reap, other);
        free(reap, object);
    });
    expect("another size", [](toft_reap *reap) {
        void *object = toft_reap_alloc(reap, 100, 8);
        toft_reap_free(reap, object, 99, 8);
    });
    expect("freed to a reap that it is not of", [](toft_reap *reap) {
        toft_reap other = TOFT_REAP_INIT;
        (void)(alloc(reap) == nullptr);
        free(reap, alloc(&other));
    });
    expect("never allocated", [](toft_reap *reap) {
        (void)(alloc(reap) == nullptr);
        toft_reap_free(reap, static_cast<char *>(alloc(reap)) - 16, 8, 8);
    });
}

TEST_CASE("AddressSanitizer is told what is free") {
    if (!address_sanitizer) return;
    reap_guard reap;
    auto *object = static_cast<char *>(toft_reap_alloc(reap, 21, 8));
    CHECK_FALSE(poisoned(object));
    CHECK_FALSE(poisoned(object + 20));
    CHECK(poisoned(object + 21));
    CHECK(poisoned(object - 1));
    auto *other = static_cast<char *>(toft_reap_resize(reap, object, 21, 24, 8));
    CHECK(other == object);
    CHECK_FALSE(poisoned(object + 23));
    toft_reap_free(reap, object, 24, 8);
    for (int i = 0; i < 24; i++) CHECK(poisoned(object + i));
    toft_reap_savepoint *point = toft_reap_save(reap);
    auto *since = static_cast<char *>(toft_reap_alloc(reap, 24, 8));
    toft_reap_rewind(reap, point);
    CHECK(poisoned(since));
    auto *large = static_cast<char *>(toft_reap_alloc(reap, 100001, 8));
    CHECK_FALSE(poisoned(large + 100000));
    CHECK(poisoned(large + 100001));
    CHECK(poisoned(large - 1));
    toft_reap_free(reap, large, 100001, 8);
    for (std::size_t size = 65000; size < 65600; size += 8) {
        large = static_cast<char *>(toft_reap_alloc(reap, size, 8));
        CHECK(poisoned(large + size));
    }
}

TEST_CASE("a program may poison bytes of its own objects, as some containers do") {
    if (!address_sanitizer) return;
    reap_guard reap;
    for (int i = 0; i < 3; i++) {
        auto *object = static_cast<char *>(toft_reap_alloc(reap, 64, 8));
        poison(object + 32, 32);
        toft_reap_free(reap, object, 64, 8);
    }
}

TEST_CASE("a reap at its limit tells what is freed twice, where it then serves another size") {
    if (tracked()) return;
    expect("twice, or with another size\n", [](toft_reap *reap) {
        toft_reap_options options = {};
        options.limit_bytes = 1 << 20;
        toft_reap_init(reap, &options);
        std::vector<void *> objects;
        while (void *object = toft_reap_alloc(reap, 200, 8)) objects.push_back(object);
        for (std::size_t i = 9; i < objects.size(); i++) toft_reap_free(reap, objects[i], 200, 8);
        toft_reap_free(reap, objects[objects.size() / 2], 200, 8);
        while (toft_reap_alloc(reap, 300, 8) != nullptr) {}
    });
}

TEST_CASE("a reap that reuses slots in the order of memory tells what is freed twice") {
    if (tracked()) return;
    // Allocates many objects and frees most of them, in another order; one of them twice.
    auto free_most = [](toft_reap *reap, bool one_twice) {
        constexpr std::size_t count = 200000, freed = count - 100;
        static std::array<void *, count> objects;
        for (void *&object : objects) object = toft_reap_alloc(reap, 32, 8);
        for (std::size_t i = 0; i < freed; i++) {
            toft_reap_free(reap, objects[i * 7919 % freed], 32, 8);
            if (one_twice && i == freed / 2)
                toft_reap_free(reap, objects[1000 * 7919 % freed], 32, 8);
        }
    };
    expect("twice", [&](toft_reap *reap) {
        free_most(reap, true);
        free_most(reap, false);
    });
    expect("twice", [&](toft_reap *reap) {
        free_most(reap, false);
        free_most(reap, true);
    });
    expect("twice, or with another size\n", [&](toft_reap *reap) {
        free_most(reap, false);
        std::array<void *, 10> objects;
        for (void *&object : objects) object = toft_reap_alloc(reap, 32, 8);
        for (void *object : objects) toft_reap_free(reap, object, 200, 8);
        free_most(reap, false);
    });
}
