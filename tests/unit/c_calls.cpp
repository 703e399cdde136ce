// SPDX-License-Identifier: MIT
// What C's headers offer to both languages: the library's version, used from C and from C++.
#include <doctest/doctest.h>

#include <string_view>

#include <toft/process.h>

#include "unit/c_user.h"

TEST_CASE("the library has the version of its headers") {
    CHECK(std::string_view(toft_version()) == TOFT_VERSION);
    CHECK(c_user_has_version_of_headers());
}
