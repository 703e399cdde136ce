// SPDX-License-Identifier: MIT
// What C's headers offer to both languages, used from C and from C++: objects by type, the version.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include <toft/process.h>
#include <toft/reap.h>

#include "support/build.hpp"
#include "support/reap_guard.hpp"
#include "unit/c_user.h"

using namespace toft_test;

namespace {

struct alignas(64) wide {
    char bytes[100];
};

bool is_aligned_to_64(const void *p) { return reinterpret_cast<std::uintptr_t>(p) % 64 == 0; }

} // namespace

TEST_CASE("the library has the version of its headers") {
    CHECK(std::string_view(toft_version()) == TOFT_VERSION);
    CHECK(c_user_has_version_of_headers());
}

TEST_CASE("objects and arrays by type in a reap") {
    reap_guard reap;
    std::size_t calls = 0;
    auto count = [&](auto value) { return calls++, value; };
    wide *one = toft_reap_new(count(static_cast<toft_reap *>(reap)), wide);
    wide *array = toft_reap_new_array(count(static_cast<toft_reap *>(reap)), wide, count(3U));
    CHECK(calls == 3);
    REQUIRE(one != nullptr);
    REQUIRE(array != nullptr);
    CHECK(is_aligned_to_64(one));
    CHECK(is_aligned_to_64(array));
    std::memset(one, 1, sizeof *one);
    std::memset(array, 2, 3 * sizeof *array);
    toft_reap_delete(reap, one);
    toft_reap_free(reap, array, 3 * sizeof *array, alignof(wide));
    CHECK(toft_reap_new_array(reap, wide, SIZE_MAX / sizeof(wide) + 2) == nullptr);
    std::size_t used_bytes = toft_reap_get_stats(reap).used_bytes; // padding
    CHECK(c_user_makes_by_type_in_reap(reap));
    if (!tracked()) CHECK(toft_reap_get_stats(reap).used_bytes == used_bytes);
}
