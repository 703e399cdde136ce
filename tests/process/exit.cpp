// SPDX-License-Identifier: MIT
// A process that exits while its threads are in the middle of the library.
#include <doctest/doctest.h>

#include "support/command.hpp"

TEST_CASE("a program linked to a shared Toft may exit while its threads use it") {
    for (int i = 0; i < 5; i++) {
        auto exited = toft_test::run_command(TOFT_EXITS);
        CHECK(exited.exit_code == 0);
        CHECK(exited.signal == 0);
        CHECK(exited.output == "");
    }
}
