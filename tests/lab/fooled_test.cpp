// SPDX-License-Identifier: MIT
// What was planted to fool the lab: each of these once did.
#include "command.hpp"
#include "result/result_file.hpp"
#include "show/printer.hpp"
#include "subject/registry.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace {

const std::string sound = "bench planted --filter planted/sound/ --size 20000 --repetitions 3 "
                          "--allocators glibc ";

std::string message_of(const std::string &path) {
    try {
        toft::lab::read_result(path);
    } catch (const std::runtime_error &e) {
        return e.what();
    }
    return {};
}

} // namespace

TEST_CASE("a malloc that hands out overlapping objects is found in the process that was timed") {
    const run_result r = run_toft(sound + "--preload 'mine=" TOFT_OVERLAPPING_MALLOC "'");
    CAPTURE(r.out);
    CHECK(r.status == 1);
    CHECK(contains(unwrapped(r.out),
                   "sound (mine): gave a wrong result: its malloc handed out the same"));
    CHECK_FALSE(contains(unwrapped(r.out), "sound (glibc): gave"));
}

TEST_CASE("a subject that does half the work when it is timed has failed") {
    const run_result r = run_toft("bench planted --filter 'planted/half' --size 2000");
    CHECK(r.status == 1);
    CHECK(contains(unwrapped(r.out),
                   "does other work when it is timed: 1000 operations in phase work, and "
                   "2000 when"));
}

TEST_CASE("a row that failed for doing half the work isn't said to be ahead") {
    const run_result r = run_toft("bench planted --filter planted/planted/ --size 20000 "
                                  "--repetitions 3 --allocators glibc");
    CAPTURE(r.out);
    CHECK(contains(unwrapped(r.out), "half the work: does other work"));
    CHECK_FALSE(contains(unwrapped(r.out), "times: half the work"));
    const std::size_t line = r.out.find("\nhalf the work");
    REQUIRE(line != std::string::npos);
    const std::string shown = r.out.substr(line + 1, r.out.find('\n', line + 1) - line - 1);
    CHECK(contains(shown, "failed"));
    CHECK_FALSE(contains(shown, "*"));
}

TEST_CASE("a subject that does less than it says when it is timed can't hide it") {
    const run_result r = run_toft("bench planted --filter 'undeclared' --size 2000 --allocators "
                                  "glibc --repetitions 1");
    CAPTURE(r.out);
    CHECK(r.status == 1);
    const std::string said = unwrapped(r.out);
    CHECK(contains(said, "fewer objects, undeclared (glibc): does less work when it is timed than "
                         "when its heap calls are counted: heap allocations in work, round 1: "
                         "1000, and 2000 when counted"));
    CHECK(contains(said, "smaller objects, undeclared (glibc): does less work when it is timed "
                         "than when its heap calls are counted: heap bytes in work, round 1: "
                         "16000, and 64000 when counted"));
}

TEST_CASE("a subject that writes less of its objects than its case asks for has failed") {
    const run_result r = run_toft("bench planted --filter planted/stores/ --size 2000 --allocators "
                                  "glibc --repetitions 1");
    CAPTURE(r.out);
    CHECK(r.status == 1);
    const std::string said = unwrapped(r.out);
    CHECK(contains(said, "writes 8 of 32 bytes (glibc): writes too little: 8.0 bytes of an object "
                         "on average, and its case is about 32.0"));
    CHECK(contains(said, "writes 32 bytes when counted (glibc): does less work when it is timed "
                         "than when its heap calls are counted: it writes 8.0 bytes of an object "
                         "on average, and 3")); // some of the 32 are written as what was there
    CHECK_FALSE(contains(said, "writes all (glibc): writes too little"));
    CHECK_FALSE(contains(said, "writes all (glibc): does less"));
}

TEST_CASE("every case on malloc says how much of an object is written") {
    for (const toft::lab::suite &s : toft::lab::all_suites()) {
        if (s.hidden || s.only_by_name) continue;
        for (const toft::lab::bench_case &c : s.cases) {
            const bool on_malloc =
                std::any_of(s.subjects.begin(), s.subjects.end(), [&](const auto &of) {
                    return of.by_allocator && of.takes_part_in(c.name);
                });
            CAPTURE(s.name);
            CAPTURE(c.name);
            const bool writes = c.title != "64 bytes allocated and freed at once" && !c.once;
            if (on_malloc && writes) CHECK(c.stored_bytes > 0);
        }
    }
}

TEST_CASE("a file for the result and for the page is refused to toft try as well") {
    const run_result r = run_toft("try --json " + scratch("one.json") + " --html " +
                                  scratch("one.json") + " -- true");
    CHECK(r.status == 2);
    CHECK(contains(r.err, "give each a file of its own"));
}

TEST_CASE("two preloads of one file are two rows, compared each with its own") {
    const std::string json = scratch("same.json");
    const std::string twins = sound +
                              "--preload 'mine=" TOFT_BUMP_MALLOC
                              "' --preload 'mine=" TOFT_BUMP_MALLOC "' --json " +
                              json;
    REQUIRE(run_toft(twins).status == 0);
    auto document = nlohmann::json::parse(contents_of(json));
    const run_result r = run_toft("compare --all " + json + " " + json);
    CHECK(contains(r.out, "sound (mine)"));
    CHECK(contains(r.out, "sound (mine #2)"));
}

TEST_CASE("two preloads of one name are two rows") {
    const std::string json = scratch("twins.json");
    const run_result r = run_toft(sound +
                                  "--preload 'mine=" TOFT_HEAP_COUNTER "' --preload "
                                  "'mine=" TOFT_BUMP_MALLOC "' --json " +
                                  json);
    CAPTURE(r.err);
    CHECK(r.status == 0);
    const auto result = nlohmann::json::parse(contents_of(json));
    const auto &rows = result["suites"][0]["rows"];
    REQUIRE(rows.size() == 3);
    CHECK(rows[1]["allocator"] == "mine");
    CHECK(rows[2]["allocator"] == "mine #2");
    CHECK(result["allocators"][2]["library"] != result["allocators"][1]["library"]);
    CHECK(rows[2]["samples"].size() == 3);
}

TEST_CASE("a library in a folder with blanks and colons in its name") {
    const std::string folder = scratch("a folder: of mine");
    std::filesystem::create_directories(folder);
    const std::string library = folder + "/lib mine.so";
    std::filesystem::copy_file(TOFT_BUMP_MALLOC, library);
    const run_result r = run_toft(sound + "--preload 'mine=" + library + "'");
    CAPTURE(r.err);
    CHECK(r.status == 0);
    CHECK(contains(unwrapped(r.out), "sound (mine)"));
}

TEST_CASE("one file for two results is refused, also by another name") {
    for (const std::string other : {"both.json", "./both.json"}) {
        const run_result r = run_shell("cd " + scratch(".") + " && '" TOFT_COMMAND "' " + sound +
                                       "--json both.json --html " + other);
        CHECK(r.status == 2);
        CHECK(contains(r.err, "give each a file of its own"));
    }
}

TEST_CASE("a setting of an allocator makes a further row, and the result has it") {
    const std::string json = scratch("settings.json"), other = scratch("no-settings.json");
    const run_result r = run_shell("MALLOC_TOP_PAD_=4096 '" TOFT_COMMAND "' " + sound +
                                   "--env glibc:MALLOC_ARENA_MAX=1 --json " + json);
    CAPTURE(r.err);
    CHECK(r.status == 0);
    CHECK(contains(unwrapped(r.out), "sound (glibc MALLOC_ARENA_MAX=1)"));
    const auto result = nlohmann::json::parse(contents_of(json));
    CHECK(result["allocators"][1]["setting"] == "MALLOC_ARENA_MAX=1");
    CHECK(result["environment"][0] == "MALLOC_TOP_PAD_=4096");
    REQUIRE(run_toft(sound + "--json " + other).status == 0);
    CHECK(contains(unwrapped(run_toft("compare " + json + " " + other).out),
                   "the allocators' environment differs: MALLOC_TOP_PAD_=4096 then, none now"));
    CHECK(run_toft(sound + "--env MALLOC_ARENA_MAX=1").status == 2);
    CHECK(run_toft(sound + "--env mimalloc:A=1").status == 2); // wasn't chosen
}

TEST_CASE("a result file that is broken is told with its name and the place in it") {
    const std::string good = scratch("good.json"), bad = scratch("bad.json");
    REQUIRE(run_toft(sound + "--json " + good).status == 0);
    const auto document = nlohmann::json::parse(contents_of(good));
    const auto check = [&](const char *place, const nlohmann::json &value) {
        auto broken = document;
        broken[nlohmann::json::json_pointer(place)] = value;
        write_to(bad, broken.dump());
        const std::string message = message_of(bad);
        CAPTURE(message);
        CHECK(contains(message, bad));
        CHECK(contains(message, std::string("at ") + place + ": "));
    };
    check("/suites/0/rows/0/threads", -1);
    check("/suites/0/rows/0/threads", 1.5);
    check("/suites/0/rows/0/threads", "two");
    check("/suites/0/rows/0/verdict", "good");
    check("/machine/cpus", 5'000'000'000);
    check("/machine/frequency_mhz", -1);
    check("/seconds", -1);
    check("/started", "yesterday");
    check("/suites/0/rows/0/noisy_spread", -.1);
    check("/suites/0/rows/0/figures/0/first_round", 0);
    check("/suites/0/rows/0/figures/0/cpu_ns/median", -1);
    check("/suites/0/rows/0/figures/0/cpu_ns/values/0", -1);
    check("/suites/0/rows/0/samples/0/phases/0/wall_ns", -1);
    check("/suites/0/rows/0/counted/heap/bytes", -1);
    auto unheard_of = document;
    unheard_of["suites"][0]["rows"][0]["unheard of"] = 1;
    write_to(bad, unheard_of.dump());
    CHECK(contains(message_of(bad), "at /suites/0/rows/0: unknown key: unheard of"));
}

TEST_CASE("escape sequences in a result file are shown, not sent") {
    const std::string good = scratch("plain.json"), bad = scratch("escaping.json");
    REQUIRE(run_toft(sound + "--json " + good).status == 0);
    auto document = nlohmann::json::parse(contents_of(good));
    document["suites"][0]["rows"][0]["subject"] = "\x1b[31mred\x07";
    document["machine"]["cpu"] = "\x1b]0;title\x07";
    write_to(bad, document.dump());
    const run_result r = run_toft("compare --all " + bad + " " + bad);
    CHECK_FALSE(contains(unwrapped(r.out), "\x1b"));
    CHECK(contains(unwrapped(r.out), "\\x1b[31mred\\x07"));
    CHECK_FALSE(contains(run_toft("compare " + good + " " + bad).out, "\x1b"));
    CHECK(toft::lab::printable("caf\u00e9 \u00b1 \u009b1m") == "caf\u00e9 \u00b1 \\x9b1m");
}
