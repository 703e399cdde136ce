// SPDX-License-Identifier: MIT
// Whatever goes wrong: what was measured is kept, the rest is named, and the exit status says so.
#include "command.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <set>

TEST_CASE("subjects that go wrong are named, the others are kept, and the status says so") {
    const std::string json = scratch("planted.json");
    const run_result r = run_toft("bench planted --filter planted/planted/ --repetitions 2 "
                                  "--allocators glibc --json " +
                                  json);
    CHECK(r.status == 1);
    for (const char *part :
         {"elided: made 0 of the", "crashed with signal 6", "2 + 2 isn't 5", "has timed nothing",
          "thrown on purpose", "ended without an answer", "absent: planted to be missing"})
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

TEST_CASE("a subject that hangs is stopped at its limit") {
    const run_result r = run_toft("bench planted --filter planted/hanging/ --timeout 1");
    CHECK(r.status == 1);
    CHECK(contains(r.out, "hung: stopped after 1 s"));
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

TEST_CASE("help and the version that can't be printed don't count as success either") {
    for (const char *asked : {"--version", "--help", "bench --help", "man-page"}) {
        CAPTURE(asked);
        const run_result r = run_shell("'" TOFT_COMMAND "' " + std::string(asked) + " >/dev/full");
        CHECK(r.status == 1);
        CHECK(contains(r.err, "toft: can't print: "));
        CHECK(contains(r.err, "No space left on device"));
    }
    CHECK(run_toft("--version").status == 0);
}

TEST_CASE("a reader of the tables that goes away loses no result file") {
    const std::string json = scratch("piped.json");
    run_shell("'" TOFT_COMMAND "' bench planted --filter sound --allocators glibc --size 1000 "
              "--json " +
              json + " | true");
    CHECK(nlohmann::json::parse(contents_of(json))["suites"].size() == 1);
}

// Interrupts the command when so many of its subjects have announced themselves, each by a line on
// a pipe. The command and all that it starts hold the pipe open: it ends when the last is gone.
static run_result interrupt_when(unsigned begun, const std::string &arguments,
                                 const std::string &signal = "INT") {
    std::string script = "pipe='" + scratch("pipe") + "'; rm -f $pipe; mkfifo $pipe; ";
    // A shell lets what it starts in the background ignore SIGINT.
    script += "env --default-signal=" + signal + " TOFT_PLANTED_PIPE=8 '" TOFT_COMMAND "' " +
              arguments + " 8>$pipe & exec 9<$pipe; ";
    while (begun-- != 0) script += "read line <&9; ";
    script += "kill -" + signal +
              " $!; wait $!; status=$?; "
              "timeout 600 cat <&9 >/dev/null || echo 'something is left'; exit $status";
    return run_shell(script);
}

TEST_CASE("an interrupt keeps what was measured") {
    const std::string json = scratch("interrupted.json");
    // The first run that announces itself is held to the counted one. The second one is timed, and
    // has ended when the third begins.
    const run_result r = interrupt_when(
        3, "bench planted --filter sound --allocators glibc --repetitions 1000 --json " + json);
    CHECK(r.status == 130);
    CHECK(contains(r.out, "Interrupted"));
    const auto result = nlohmann::json::parse(contents_of(json));
    CHECK(result["interrupted"] == true);
    const std::size_t samples = result["suites"][0]["rows"][0]["samples"].size();
    CHECK(samples > 0);
    CHECK(samples < 1000);
}

TEST_CASE("a run that is stopped before anything is measured leaves the files of an earlier one") {
    const std::string json = scratch("earlier.json"), page = scratch("earlier.html");
    const std::string hanging = "bench planted --filter planted/hanging/ --json " + json;
    const run_result made = run_toft("bench planted --filter planted/sound/ --allocators glibc "
                                     "--repetitions 3 --size 2000 --json " +
                                     json);
    REQUIRE(made.status == 0);
    write_to(page, "an earlier page");
    const std::string before = contents_of(json);
    const run_result r = interrupt_when(1, hanging + " --html " + page);
    if (lacks_report(r)) return;
    CHECK(r.status == 130);
    CHECK(contains(r.err, json + " stays as it was: nothing had been measured yet"));
    CHECK(contains(r.err, page + " stays as it was"));
    CHECK(contents_of(json) == before);
    CHECK(contents_of(page) == "an earlier page");
}

TEST_CASE("a hangup keeps what was measured, too") {
    const std::string json = scratch("hung-up.json");
    const run_result r = interrupt_when(
        3, "bench planted --filter sound --allocators glibc --repetitions 1000 --json " + json,
        "HUP");
    CHECK(r.status == 130);
    CHECK(nlohmann::json::parse(contents_of(json))["interrupted"] == true);
}

TEST_CASE("an interrupt stops a subject that hangs, and what it started") {
    const run_result r = interrupt_when(1, "bench planted --filter planted/hanging/");
    CHECK(r.status == 130);
    CHECK_FALSE(contains(r.out, "something is left"));
}

TEST_CASE("a planted order effect is seen, and the row's figures are called noisy") {
    const std::string json = scratch("order.json");
    const run_result r = run_shell(
        "mkdir -p " + scratch("traces") + "; TMPDIR=" + scratch("traces") +
        " '" TOFT_COMMAND "' bench planted --filter planted/order/ --repetitions 9 --json " + json);
    CHECK(r.status == 0);
    const auto rows = nlohmann::json::parse(contents_of(json))["suites"][0]["rows"];
    for (const auto &row : rows)
        if (row["subject"] == "stumbles over it") {
            CHECK(row["verdict"] == "noisy");
            CHECK(contains(row["remark"], "after leaves a trace"));
        }
    CHECK(contains(r.out, "seems to depend on"));
}

TEST_CASE("--max-time begins no pass that would end too late, and the result says so") {
    const std::string steady = "bench planted --filter planted/steady/ --repetitions 4 ";
    const std::string json = scratch("max-time.json");
    const auto processes_of = [&] {
        std::set<std::size_t> counts;
        const auto result = nlohmann::json::parse(contents_of(json));
        for (const auto &row : result["suites"][0]["rows"]) {
            CHECK(row["samples"].size() == row["repetitions"]);
            counts.insert(row["samples"].size());
        }
        return counts;
    };
    const run_result hurried = run_toft(steady + "--max-time 0 --json " + json);
    CAPTURE(hurried.out);
    CHECK(hurried.status == 0);
    CHECK(processes_of() == std::set<std::size_t>{1});
    CHECK(contains(unwrapped(hurried.out), "passes 2 to 4 of 4: the run would have taken longer "
                                           "than --max-time 0; each row has fewer processes"));
    CHECK(contains(unwrapped(hurried.out), "No row has a second process"));
    const run_result patient = run_toft(steady + "--max-time 1000000 --json " + json);
    CAPTURE(patient.out);
    CHECK(patient.status == 0);
    CHECK(processes_of() == std::set<std::size_t>{4});
    CHECK_FALSE(contains(unwrapped(patient.out), "passes"));
    CHECK(contains(unwrapped(patient.out),
                   "Half of the rows spread by at most 0.0 %, nine of ten by 0.0 %."));
}
