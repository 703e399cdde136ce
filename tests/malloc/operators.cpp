// SPDX-License-Identifier: MIT
// operator new and delete of libtoft-malloc: every form, handlers, and what happens without memory.
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/aligned.hpp"

using namespace toft_test;

namespace {

constexpr std::size_t too_much = static_cast<std::size_t>(PTRDIFF_MAX) - 4096;
volatile std::size_t sizes[] = {0, 1, 8, 24, 1000, 1025, 30000, 40000, 2000000};

int handled;
void give_up_at_the_third() {
    if (++handled == 3) std::set_new_handler(nullptr);
}
void throw_something() { throw std::bad_alloc(); }

struct handler_guard {
    explicit handler_guard(std::new_handler handler) { std::set_new_handler(handler); }
    ~handler_guard() { std::set_new_handler(nullptr); }
};

} // namespace

TEST_CASE("each form of new goes with each form of delete") {
    std::size_t live_before = 0;
    for (int round = 0; round < 100; round++) {
        if (round == 1) live_before = mallinfo2().uordblks;
        for (std::size_t size : sizes) {
            const std::align_val_t aligned{256};
            ::operator delete(::operator new(size));
            ::operator delete(::operator new(size), size);
            ::operator delete[](::operator new[](size));
            ::operator delete[](::operator new[](size), size);
            ::operator delete(::operator new(size, std::nothrow), std::nothrow);
            ::operator delete[](::operator new[](size, std::nothrow), std::nothrow);
            for (int form = 0; form < 3; form++) {
                void *object = form == 2 ? ::operator new(size, aligned, std::nothrow)
                                         : ::operator new(size, aligned);
                void *array = form == 2 ? ::operator new[](size, aligned, std::nothrow)
                                        : ::operator new[](size, aligned);
                CHECK((is_aligned(object, 256) && is_aligned(array, 256)));
                if (form == 0) {
                    ::operator delete(object, aligned);
                    ::operator delete[](array, aligned);
                } else if (form == 1) {
                    ::operator delete(object, size, aligned);
                    ::operator delete[](array, size, aligned);
                } else {
                    ::operator delete(object, aligned, std::nothrow);
                    ::operator delete[](array, aligned, std::nothrow);
                }
            }
        }
    }
    CHECK(mallinfo2().uordblks <= live_before);
    ::operator delete(nullptr);
    ::operator delete(nullptr, std::size_t{10});
    ::operator delete[](nullptr, std::size_t{10});
}

TEST_CASE("what malloc made may be deleted by its size, as other mallocs bear it") {
    std::thread([] {
        for (std::size_t size = 1; size <= 1024; size += 7) {
            std::vector<void *> objects;
            for (int i = 0; i < 10; i++) {
                objects.push_back(std::malloc(size));
                REQUIRE(objects.back() != nullptr);
                std::memset(objects.back(), 'x', size);
            }
            for (void *object : objects) operator delete(object, size);
            std::set<void *> made;
            for (int i = 0; i < 20; i++) {
                void *object = operator new(size);
                std::memset(object, 'y', size);
                CHECK(made.insert(object).second);
            }
            for (void *object : made) operator delete(object, size);
        }
    }).join();
    CHECK(malloc_trim(0) >= 0); // no misuse was found
}

TEST_CASE("without memory, new throws and its nothrow forms return NULL") {
    volatile std::size_t size = too_much;
    const std::align_val_t aligned{64};
    CHECK_THROWS_AS(static_cast<void>(::operator new(size)), std::bad_alloc);
    CHECK_THROWS_AS(static_cast<void>(::operator new[](size)), std::bad_alloc);
    CHECK_THROWS_AS(static_cast<void>(::operator new(size, aligned)), std::bad_alloc);
    CHECK_THROWS_AS(static_cast<void>(::operator new[](size, aligned)), std::bad_alloc);
    CHECK(::operator new(size, std::nothrow) == nullptr);
    CHECK(::operator new[](size, std::nothrow) == nullptr);
    CHECK(::operator new(size, aligned, std::nothrow) == nullptr);
    CHECK(::operator new[](size, aligned, std::nothrow) == nullptr);
}

TEST_CASE("the new-handler is called until it gives up, and may throw") {
    volatile std::size_t size = too_much;
    for (bool throwing : {true, false}) {
        handled = 0;
        handler_guard guard(give_up_at_the_third);
        if (throwing)
            CHECK_THROWS_AS(static_cast<void>(::operator new(size)), std::bad_alloc);
        else
            CHECK(::operator new(size, std::nothrow) == nullptr);
        CHECK(handled == 3);
    }
    handler_guard guard(throw_something);
    CHECK_THROWS_AS(static_cast<void>(::operator new(size)), std::bad_alloc);
    CHECK(::operator new(size, std::nothrow) == nullptr);
}
