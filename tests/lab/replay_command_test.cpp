// SPDX-License-Identifier: MIT
// `toft replay` as a user meets it, on recordings that `toft record` made.
#include "command.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace {

const std::string target = " -- '" TOFT_TRY_TARGET "' work";
const std::string quickly = " --repetitions 3 --allocators glibc ";

// The recording of a program that makes 100,000 objects of 64 bytes, at most 2000 at a time.
const std::string &recorded() {
    static const std::string path = [] {
        std::string file = scratch("work.toft");
        const run_result r = run_toft("record -o " + file + target);
        CAPTURE(r.err);
        REQUIRE(r.status == 0);
        return file;
    }();
    return path;
}

} // namespace

TEST_CASE(
    "toft replay: the table, the counts and the file; a slow malloc is predicted to be slow") {
    const std::string json = scratch("replay.json");
    const run_result r = run_toft("replay " + recorded() + quickly +
                                  "--preload slow='" TOFT_SLOW_MALLOC "' --json " + json + target);
    CAPTURE(r.out);
    CAPTURE(r.err);
    CHECK(r.status == 0);
    CHECK_FALSE(contains(r.out, "Failed: "));
    for (const char *part :
         {"heap work", "whole program, predicted", "÷first", "on 1 thread", "Stay with glibc"})
        CHECK_MESSAGE(contains(unwrapped(r.out), part), part);
    const auto result = nlohmann::json::parse(contents_of(json));
    const auto &suite = result["suites"][0];
    CHECK(suite["size"] >= 200'000);
    CHECK(suite["size"] < 201'000);
    unsigned compared = 0;
    for (const auto &row : suite["rows"]) {
        if (row["allocator"] != "slow" || row["case"] == "start") continue;
        for (const auto &other : suite["rows"]) {
            if (other["allocator"] != "glibc" || other["case"] != row["case"]) continue;
            for (std::size_t i = 0; i != 3; ++i) {
                const auto &slow = row["samples"][i], &fast = other["samples"][i];
                CHECK(slow["phases"][0]["cpu_ns"] > 5 * fast["phases"][0]["cpu_ns"].get<double>());
                const char *predicted = "the program's CPU time, predicted, ns";
                CHECK(slow["figures"][predicted] > fast["figures"][predicted]);
                CHECK(slow["peak_bytes"] > fast["peak_bytes"].get<double>() + 4e6);
                ++compared;
            }
        }
    }
    CHECK(compared == 9); // three models
}

TEST_CASE("toft replay: chosen stacks in an arena and in the pool") {
    const run_result known = run_toft("replay " + recorded() + quickly + "--arena '#1,#2' " +
                                      "--pool '#3' --program-cpu 50");
    CAPTURE(known.out);
    CAPTURE(known.err);
    CHECK(known.status == 0);
    CHECK(contains(known.out, "placed, frees kept"));
    CHECK(contains(known.out, "placed, frees dropped"));
    CHECK(contains(unwrapped(known.out), "% of the program's CPU time"));
    const run_result unknown = run_toft("replay " + recorded() + quickly + "--arena '#999999'");
    CHECK(unknown.status == 2);
    CHECK(contains(unknown.err, "is no site of this recording"));
}

TEST_CASE("toft replay: what can't be replayed is said before anything runs") {
    const run_result missing = run_toft("replay " + scratch("no-such-file"));
    CHECK(missing.status == 1);
    CHECK(missing.out.empty());
    CHECK(contains(missing.err, "no-such-file"));
    const std::string other = scratch("other.toft");
    write_to(other, "just text\n");
    const run_result foreign = run_toft("replay " + other);
    CHECK(foreign.status == 1);
    CHECK(foreign.out.empty());
    const std::string sampled = scratch("sampled.toft");
    REQUIRE(run_toft("record --sample 4096 -o " + sampled + target).status == 0);
    const run_result sample = run_toft("replay " + sampled);
    CHECK(sample.status == 1);
    CHECK(contains(sample.err, "record without --sample"));
}

TEST_CASE("toft replay: a recording that was cut is replayed as far as it goes, or refused") {
    const std::string whole = contents_of(recorded());
    for (const std::size_t eighths : {1, 3, 5, 7}) {
        const std::string cut = scratch("cut.toft");
        write_to(cut, whole.substr(0, whole.size() * eighths / 8));
        const run_result r = run_toft("replay " + cut + quickly);
        CAPTURE(r.err);
        CAPTURE(r.out);
        CHECK((r.status == 0 || r.status == 1 || r.status == 2));
        if (r.status == 0)
            CHECK(contains(unwrapped(r.out), "the recording has no end"));
        else
            CHECK(contains(r.err, "toft: "));
    }
    std::string damaged = whole;
    for (std::size_t i = damaged.size() / 2; i != damaged.size() / 2 + 64; ++i)
        damaged[i] = static_cast<char>(~damaged[i]);
    const std::string path = scratch("damaged.toft");
    write_to(path, damaged);
    const run_result r = run_toft("replay " + path + quickly);
    CAPTURE(r.out);
    CHECK(r.status == 1);
    CHECK(r.out.empty());
    CHECK(contains(r.err, "toft: "));
}

TEST_CASE("toft replay: functions in C keep their names, those that are codes of C++ types too") {
    const std::string file = scratch("short-names.toft");
    REQUIRE(run_toft("record -o " + file + " -- '" TOFT_SHORT_NAMES "'").status == 0);
    const std::string made_below = "replay " + file + quickly + "--arena ";
    if (run_toft(made_below + "main").status != 0) return; // built without elfutils
    for (const char *name : {"f", "w"}) {
        const run_result r = run_toft(made_below + name);
        CAPTURE(r.err);
        CHECK(r.status == 0);
        CHECK(contains(r.out, "Placed: 100 objects"));
    }
}
