// SPDX-License-Identifier: MIT
// What the tests must know of how they were built, and of the tools that they run under.
#ifndef TOFT_TESTS_SUPPORT_BUILD_HPP
#define TOFT_TESTS_SUPPORT_BUILD_HPP

#include <cstdlib>

#include <toft/arena.h>

#if defined(__has_feature)
    #if __has_feature(address_sanitizer)
        #define TOFT_TEST_ASAN 1
    #elif __has_feature(thread_sanitizer)
        #define TOFT_TEST_TSAN 1
    #endif
#endif
#if defined(__SANITIZE_ADDRESS__)
    #define TOFT_TEST_ASAN 1
#elif defined(__SANITIZE_THREAD__)
    #define TOFT_TEST_TSAN 1
#endif

#ifdef TOFT_TEST_ASAN
    #include <sanitizer/asan_interface.h>
#endif

namespace toft_test {

#if defined(TOFT_TEST_ASAN)
inline constexpr bool address_sanitizer = true;
#else
inline constexpr bool address_sanitizer = false;
#endif
#if defined(TOFT_TEST_TSAN)
inline constexpr bool thread_sanitizer = true;
#else
inline constexpr bool thread_sanitizer = false;
#endif

// In one thread ThreadSanitizer has nothing to find, and all takes twenty times as long. A test
// that tries every case tries each tenth there.
inline constexpr std::size_t case_step = thread_sanitizer ? 10 : 1;

#if defined(__OPTIMIZE__) && !defined(TOFT_TEST_ASAN) && !defined(TOFT_TEST_TSAN)
inline constexpr bool fast_build = true;
#else
inline constexpr bool fast_build = false;
#endif

// Such a test leaves all of it to the other builds where it takes seconds, but in a long run.
inline bool too_long_for_tsan() {
    return thread_sanitizer && std::getenv("TOFT_TEST_LONG") == nullptr;
}

// Whether a test's rounds may be fewer: another build of a short run does all of them.
inline bool fewer_rounds() { return !fast_build && std::getenv("TOFT_TEST_LONG") == nullptr; }

// Whether a tool tracks each allocation: objects are then surrounded by poisoned bytes, and exact
// figures of an untracked arena don't hold.
inline bool tracked() {
    static const bool answer = [] {
        toft_arena probe = TOFT_ARENA_INIT;
        if (toft_arena_alloc(&probe, 1, 1) == nullptr) std::abort();
        bool tracks = probe.end == nullptr;
        toft_arena_release(&probe);
        return tracks;
    }();
    return answer;
}

// Whether the byte may not be touched; always false where no tool could tell.
inline bool poisoned([[maybe_unused]] const void *byte) {
#ifdef TOFT_TEST_ASAN
    return __asan_address_is_poisoned(byte) != 0;
#else
    return false;
#endif
}

// As a program does with bytes of its own object; without such a tool, nothing.
inline void poison([[maybe_unused]] void *memory, [[maybe_unused]] std::size_t bytes) {
#ifdef TOFT_TEST_ASAN
    __asan_poison_memory_region(memory, bytes);
#endif
}

} // namespace toft_test

#endif
