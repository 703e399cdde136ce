// SPDX-License-Identifier: MIT
// Whatever goes wrong: what was measured is kept, the rest is named, and the exit status says so.
#include "command.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

TEST_CASE("subjects that go wrong are named, the others are kept, and the status says so") {
    const std::string json = scratch("planted.json");
    const run_result r = run_toft("bench planted --filter planted/planted/ --repetitions 2 "
                                  "--timeout 1 --allocators glibc --json " +
                                  json);
    CHECK(r.status == 1);
    for (const char *part : {"elided: made 0 of the", "crashed with signal 6",
                             "hung: stopped after 1 s", "2 + 2 isn't 5", "thrown on purpose",
                             "ended without an answer", "absent: planted to be missing"})
        CHECK_MESSAGE(contains(r.out, part), part);
    const auto rows = nlohmann::json::parse(contents_of(json))["suites"][0]["rows"];
    for (const auto &row : rows) {
        const std::string subject = row["subject"];
        CAPTURE(subject);
        const std::string verdict = row["verdict"];
        if (subject == "sound") {
            CHECK(row["samples"].size() == 2);
            CHECK((verdict == "sound" || verdict == "noisy"));
        } else if (subject == "elided" || subject == "too fast") {
            CHECK(verdict == "elided");
        } else {
            CHECK(verdict == "failed");
        }
    }
}

TEST_CASE("without a terminal there is no escape sequence, and progress is plain lines") {
    const run_result r = run_toft("bench tree --size 3 --repetitions 1 --allocators glibc");
    CHECK(r.status == 0);
    CHECK_FALSE(contains(r.out, "\x1b"));
    CHECK_FALSE(contains(r.err, "\x1b"));
    CHECK_FALSE(contains(r.err, "\r"));
    CHECK(contains(r.err, "[1/"));
}

TEST_CASE("a result file that can't be written is told before anything is measured") {
    const run_result r = run_toft("bench tree --size 3 --json " + scratch("no/such/folder.json"));
    CHECK(r.status == 1);
    CHECK(r.out.empty());
    CHECK(contains(r.err, "can't write"));
}

TEST_CASE("a full disk keeps the tables, and the status says so") {
    const run_result r =
        run_toft("bench tree --size 3 --repetitions 1 --allocators glibc --json /dev/full");
    CHECK(r.status == 1);
    CHECK(contains(r.out, "toft::arena"));
    CHECK(contains(r.err, "can't write /dev/full"));
}

TEST_CASE("a result that can't be printed doesn't count as success") {
    const run_result r = run_shell("'" TOFT_COMMAND "' bench --list >/dev/full");
    CHECK(r.status == 1);
    CHECK(contains(r.err, "No space left on device"));
}

TEST_CASE("a reader of the tables that goes away loses no result file") {
    const std::string json = scratch("piped.json");
    run_shell("'" TOFT_COMMAND "' bench planted --filter sound --allocators glibc --size 1000 "
              "--json " +
              json + " | true");
    CHECK(nlohmann::json::parse(contents_of(json))["suites"].size() == 1);
}

static run_result interrupt_after(double seconds, const std::string &arguments) {
    return run_shell("'" TOFT_COMMAND "' " + arguments + " & sleep " + std::to_string(seconds) +
                     "; kill -INT $!; wait $!");
}

TEST_CASE("an interrupt keeps what was measured") {
    const std::string json = scratch("interrupted.json");
    const run_result r = interrupt_after(
        2, "bench planted --filter sound --allocators glibc --repetitions 1000 --json " + json);
    CHECK(r.status == 130);
    CHECK(contains(r.out, "Interrupted"));
    const auto result = nlohmann::json::parse(contents_of(json));
    CHECK(result["interrupted"] == true);
    const std::size_t samples = result["suites"][0]["rows"][0]["samples"].size();
    CHECK(samples > 0);
    CHECK(samples < 1000);
}

TEST_CASE("an interrupt stops a subject that hangs, and what it started") {
    const run_result r = interrupt_after(1, "bench planted --filter hanging --timeout 60");
    CHECK(r.status == 130);
    const run_result left = run_shell("pgrep -f '[m]easure-one planted planted hanging'");
    CHECK(left.out.empty());
}

TEST_CASE("a planted order effect is seen, and the row's figures are called noisy") {
    const std::string json = scratch("order.json");
    const run_result r =
        run_toft("bench planted --filter planted/order/ --repetitions 9 --json " + json);
    CHECK(r.status == 0);
    const auto rows = nlohmann::json::parse(contents_of(json))["suites"][0]["rows"];
    for (const auto &row : rows)
        if (row["subject"] == "stumbles over it") {
            CHECK(row["verdict"] == "noisy");
            CHECK(contains(row["remark"], "after leaves a trace"));
        }
    CHECK(contains(r.out, "seems to depend on"));
}
