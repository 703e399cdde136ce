// SPDX-License-Identifier: MIT
// A C arena that is released at the end of its block, whatever a test finds.
#ifndef TOFT_TESTS_SUPPORT_ARENA_GUARD_HPP
#define TOFT_TESTS_SUPPORT_ARENA_GUARD_HPP

#include <toft/arena.h>

namespace toft_test {

class arena_guard {
  public:
    arena_guard() : arena_(TOFT_ARENA_INIT) {}
    explicit arena_guard(const toft_arena_options &options) { toft_arena_init(&arena_, &options); }
    ~arena_guard() { toft_arena_release(&arena_); }
    arena_guard(const arena_guard &) = delete;
    arena_guard &operator=(const arena_guard &) = delete;

    toft_arena *get() { return &arena_; }
    operator toft_arena *() { return &arena_; }

  private:
    toft_arena arena_;
};

} // namespace toft_test

#endif
