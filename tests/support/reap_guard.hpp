// SPDX-License-Identifier: MIT
// A C reap that is released at the end of its block, whatever a test finds.
#ifndef TOFT_TESTS_SUPPORT_REAP_GUARD_HPP
#define TOFT_TESTS_SUPPORT_REAP_GUARD_HPP

#include <toft/reap.h>

namespace toft_test {

class reap_guard {
  public:
    reap_guard() : reap_(TOFT_REAP_INIT) {}
    explicit reap_guard(const toft_reap_options &options) { toft_reap_init(&reap_, &options); }
    ~reap_guard() { toft_reap_release(&reap_); }
    reap_guard(const reap_guard &) = delete;
    reap_guard &operator=(const reap_guard &) = delete;

    toft_reap *get() { return &reap_; }
    operator toft_reap *() { return &reap_; }

  private:
    toft_reap reap_;
};

} // namespace toft_test

#endif
