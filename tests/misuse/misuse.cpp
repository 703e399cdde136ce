// SPDX-License-Identifier: MIT
// Broken rules end the program with one line that says which; tools see what mustn't be touched.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "support/build.hpp"
#include "support/command.hpp"
#include "support/misused.hpp"

using namespace toft_test;

namespace {

// What a pool finds itself it says in its own words, with its name.
[[maybe_unused]] void expect_report(const std::string &program, const std::string &sign) {
    std::vector<std::string> names = names_in(program);
    CHECK(names.size() >= 12);
    for (const std::string &name : names) {
        CAPTURE(name);
        command_result result = run_command(program + " " + name);
        CAPTURE(result.output);
        bool reported = result.exit_code != 0 || result.signal != 0;
        CHECK(reported == (name != "nothing"));
        if (!reported) continue;
        std::string expected = name.starts_with("free_") ? "toft: " : sign;
        CHECK(result.output.find(expected) != std::string::npos);
        if (name.starts_with("free_")) CHECK(result.output.find("': freed") != std::string::npos);
    }
}

} // namespace

TEST_CASE("a broken rule is one line to standard error, then abort") {
    std::vector<std::string> names = names_in(TOFT_BROKEN_RULES);
    CHECK(names.size() >= 11);
    for (const std::string &name : names) expect_one_line_and_abort(TOFT_BROKEN_RULES, name);
}

TEST_CASE("AddressSanitizer sees what mustn't be touched, with a library built without it too") {
#ifdef TOFT_TOUCHES_ASAN
    for (const char *program : {TOFT_TOUCHES_ASAN, TOFT_POOL_TOUCHES_ASAN})
        expect_report("env ASAN_OPTIONS=detect_leaks=0 " + std::string(program),
                      "use-after-poison");
#else
    MESSAGE("left out: this build can't have AddressSanitizer");
#endif
}

TEST_CASE("Valgrind sees what mustn't be touched") {
#ifdef TOFT_VALGRIND_PROGRAM
    for (const char *program : {TOFT_TOUCHES, TOFT_POOL_TOUCHES})
        expect_report(TOFT_VALGRIND_PROGRAM " -q --error-exitcode=9 " + std::string(program),
                      "Invalid write");
#else
    MESSAGE("left out: there is no Valgrind here, or this build has a sanitizer");
#endif
}

TEST_CASE("tools that measure a program see what it does without them") {
#ifdef TOFT_VALGRIND_PROGRAM
    const auto said_under = [](const std::string &tool) {
        return run_command(TOFT_VALGRIND_PROGRAM " -q --tool=" + tool + " " TOFT_IS_TRACKED).output;
    };
    for (const char *checks : {"memcheck", "helgrind", "drd"})
        CHECK(said_under(checks) == "tracked\n");
    for (const char *measures : {"none", "callgrind --callgrind-out-file=/dev/null"})
        CHECK(said_under(measures) == "as ever\n");
#else
    MESSAGE("left out: there is no Valgrind here, or this build has a sanitizer");
#endif
}
