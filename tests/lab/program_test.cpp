// SPDX-License-Identifier: MIT
#include "run/program.hpp"

#include <doctest/doctest.h>
#include <stdexcept>

using toft::lab::output_of_program;

namespace {

std::string shell(const std::string &script) {
    return output_of_program("/bin/sh", {"-c", script});
}

} // namespace

TEST_CASE("a program's standard output comes back whole, and its complaints don't mix with it") {
    CHECK(shell("echo one; echo two >&2; echo three") == "one\nthree\n");
    CHECK(shell("").empty());
    CHECK(shell("i=0; while [ $i -lt 20000 ]; do echo 0123456789; echo oh >&2; i=$((i+1)); done")
              .size() == 220'000);
}

TEST_CASE("a program that fails is told with its last words") {
    CHECK_THROWS_WITH_AS(shell("echo first >&2; echo 'no memory' >&2; exit 3"),
                         "sh exited with status 3: no memory", std::runtime_error);
    CHECK_THROWS_WITH_AS(shell("exit 1"), "sh exited with status 1", std::runtime_error);
    CHECK_THROWS_WITH_AS(shell("kill -9 $$"), "sh crashed with signal 9 (Killed)",
                         std::runtime_error);
    CHECK_THROWS_AS(output_of_program("/no/such/program", {}), std::runtime_error);
}
