// SPDX-License-Identifier: MIT
// Programs that break the one rule that their argument names: named_functions.h.
#ifndef TOFT_TESTS_SUPPORT_MISUSED_HPP
#define TOFT_TESTS_SUPPORT_MISUSED_HPP

#include <algorithm>
#include <csignal>
#include <doctest/doctest.h>
#include <sstream>
#include <string>
#include <vector>

#include "command.hpp"

namespace toft_test {

// The names that a program lists, of one kind or, without a prefix, all.
inline std::vector<std::string> names_in(const std::string &program,
                                         const std::string &prefix = {}) {
    command_result listed = run_command(program);
    REQUIRE(listed.exit_code == 0);
    std::vector<std::string> names;
    std::istringstream stream(listed.output);
    for (std::string name; std::getline(stream, name);)
        if (name.starts_with(prefix)) names.push_back(name);
    REQUIRE(names.size() >= 3);
    return names;
}

// It ends with one line to standard error, then abort.
inline void expect_one_line_and_abort(const std::string &program, const std::string &name) {
    CAPTURE(name);
    command_result result = run_command(program + " " + name);
    CAPTURE(result.output);
    CHECK(result.signal == SIGABRT);
    CHECK(result.output.starts_with("toft: "));
    CHECK(std::count(result.output.begin(), result.output.end(), '\n') == 1);
}

} // namespace toft_test

#endif
