// SPDX-License-Identifier: MIT
// A C pool that is destroyed at the end of its block, whatever a test finds.
#ifndef TOFT_TESTS_SUPPORT_POOL_GUARD_HPP
#define TOFT_TESTS_SUPPORT_POOL_GUARD_HPP

#include <doctest/doctest.h>

#include <toft/pool.h>

namespace toft_test {

class pool_guard {
  public:
    pool_guard() : pool_guard(toft_pool_options{}) {}
    explicit pool_guard(const toft_pool_options &options) : pool_(toft_pool_create(&options)) {
        REQUIRE(pool_ != nullptr);
    }
    ~pool_guard() { toft_pool_destroy(pool_); }
    pool_guard(const pool_guard &) = delete;
    pool_guard &operator=(const pool_guard &) = delete;

    operator toft_pool *() { return pool_; }

  private:
    toft_pool *pool_;
};

// Live bytes as the pool sees them: what was asked for, rounded up to slots.
inline std::size_t live_bytes(toft_pool *pool) { return toft_pool_get_stats(pool).live_bytes; }

// Free, and still with the pool.
inline std::size_t kept_bytes(toft_pool *pool) {
    toft_pool_stats stats = toft_pool_get_stats(pool);
    return stats.cached_bytes + stats.idle_bytes;
}

inline std::size_t reserved_bytes(toft_pool *pool) {
    return toft_pool_get_stats(pool).reserved_bytes;
}

} // namespace toft_test

#endif
