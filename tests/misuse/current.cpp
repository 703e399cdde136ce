// SPDX-License-Identifier: MIT
// Broken rules of blocks, and objects that outlive them.
#include <doctest/doctest.h>

#include <csignal>
#include <string>

#include "support/build.hpp"
#include "support/command.hpp"
#include "support/misused.hpp"

using namespace toft_test;

namespace {

void expect_one_line(const std::string &command) {
    command_result result = run_command(command);
    CAPTURE(command);
    CAPTURE(result.output);
    CHECK((result.signal == SIGABRT || result.exit_code != 0));
    CHECK(result.output.find("toft: ") != std::string::npos);
}

[[maybe_unused]] void expect_reports(const std::string &program, const std::string &sign) {
    for (const std::string &name : names_in(program)) {
        const std::string command = program + " " + name;
        if (name.starts_with("toft_") || name.starts_with("tracked_")) {
            expect_one_line(command);
            continue;
        }
        command_result result = run_command(command);
        CAPTURE(name);
        CAPTURE(result.output);
        CHECK((result.output.find(sign) != std::string::npos) == (name != "nothing"));
        CHECK((result.exit_code == 0 && result.signal == 0) == (name == "nothing"));
    }
}

} // namespace

TEST_CASE("a block that ends wrongly is one line to standard error, then abort") {
    for (const std::string &name : names_in(TOFT_CURRENT_TOUCHES, "toft_"))
        expect_one_line_and_abort(TOFT_CURRENT_TOUCHES, name);
}

TEST_CASE("what is resized and nobody's may be of an arena that was reset") {
    const std::string output =
        run_command(TOFT_CURRENT_TOUCHES " toft_resize_what_is_not_allocated").output;
    CAPTURE(output);
    CHECK(output.ends_with(
        ": resized, but it is no object of a current strategy, or its arena or reap was reset\n"));
}

TEST_CASE("AddressSanitizer sees what outlives its block, with a library built without it too") {
#ifdef TOFT_CURRENT_TOUCHES_ASAN
    expect_reports("env ASAN_OPTIONS=detect_leaks=0 " TOFT_CURRENT_TOUCHES_ASAN,
                   "use-after-poison");
#else
    MESSAGE("left out: this build can't have AddressSanitizer");
#endif
}

TEST_CASE("Valgrind sees what outlives its block") {
#ifdef TOFT_VALGRIND_PROGRAM
    expect_reports(TOFT_VALGRIND_PROGRAM " -q --error-exitcode=9 " TOFT_CURRENT_TOUCHES,
                   "Invalid write");
#else
    MESSAGE("left out: there is no Valgrind here, or this build has a sanitizer");
#endif
}
