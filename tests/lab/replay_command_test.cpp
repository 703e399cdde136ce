// SPDX-License-Identifier: MIT
// `toft replay` as a user meets it, on recordings that `toft record` made.
#include "command.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace {

const std::string working_target = " -- '" TOFT_TRY_TARGET "' work";
// The same calls of the heap, in a program that has other work too.
const std::string busy_target = " -- '" TOFT_TRY_TARGET "' compute-and-work";
const std::string quick_replay = " --repetitions 3 --allocators glibc ";

// The recording of a program that makes 100,000 objects of 64 bytes, at most 2000 at a time.
const std::string &recorded() {
    static const std::string path = [] {
        std::string file = scratch("work.toft");
        const run_result r = run_toft("record -o " + file + working_target);
        CAPTURE(r.err);
        REQUIRE(r.status == 0);
        return file;
    }();
    return path;
}

// What is said where the objects of the target's function of that name are in an arena; nothing
// where no functions are told.
std::optional<std::string> said_with_arena_below(const std::string &function) {
    const std::string file = scratch(function + ".toft");
    REQUIRE(run_toft("record -o " + file + " -- '" TOFT_RECORD_TARGET "' " + function).status == 0);
    if (!tells_functions()) return std::nullopt;
    const run_result r = run_toft("replay " + file + quick_replay + "--arena " + function);
    CAPTURE(r.err);
    CHECK(r.status == 0);
    return unwrapped(r.out);
}

} // namespace

TEST_CASE(
    "toft replay: the table, the counts and the file; a slow malloc is predicted to be slow") {
    const std::string json = scratch("replay.json");
    const run_result r =
        run_toft("replay " + recorded() + quick_replay +
                 "--preload slow='" TOFT_SLOW_MALLOC "' --json " + json + busy_target);
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
                CHECK(slow["figures"].at(predicted) > fast["figures"].at(predicted));
                CHECK(slow["peak_bytes"] > fast["peak_bytes"].get<double>() + 4e6);
                ++compared;
            }
        }
    }
    CHECK(compared == 9); // three models
}

TEST_CASE("toft replay: chosen stacks in an arena and in the pool") {
    const run_result known = run_toft("replay " + recorded() + quick_replay + "--arena '#1,#2' " +
                                      "--pool '#3' --program-cpu 50");
    CAPTURE(known.out);
    CAPTURE(known.err);
    CHECK(known.status == 0);
    CHECK(contains(known.out, "placed, frees kept"));
    CHECK(contains(known.out, "placed, frees through a hook"));
    CHECK(contains(known.out, "placed, frees dropped"));
    CHECK(contains(unwrapped(known.out), "% of the program's CPU time"));
    const run_result unknown =
        run_toft("replay " + recorded() + quick_replay + "--arena '#999999'");
    CHECK(unknown.status == 2);
    CHECK(contains(unknown.err, "is no site of this recording"));
}

TEST_CASE("toft replay: sites of two options are refused, since objects can be in one place only") {
    const auto refused = [](const std::string &options) {
        const run_result r = run_toft("replay " + recorded() + quick_replay + options);
        CAPTURE(r.out);
        CHECK(r.status == 2);
        return unwrapped(r.err);
    };
    CHECK(contains(refused("--arena '#1,#2' --pool '#2'"),
                   "--arena '#1,#2' and --pool '#2' both name the objects of "));
    CHECK(contains(refused("--arena '#1' --arena '#2,#1'"),
                   "--arena '#1' and --arena '#2,#1' both name the objects of "));
    CHECK(run_toft("replay " + recorded() + quick_replay + "--arena '#1,#1'").status == 0);
}

TEST_CASE("toft replay: sites that keep an arena from its reset again and again are named") {
    const std::optional<std::string> said = said_with_arena_below("one_stays");
    if (!said) return;
    CHECK_MESSAGE(contains(*said,
                           "199 times a few objects alone kept their arena from being reset, "
                           "while all others in it were dead. Choose sites without those "
                           "that make such objects: one_stays"),
                  *said);
}

TEST_CASE("toft replay: an arena that grows and grows is told") {
    const std::optional<std::string> said = said_with_arena_below("overlapping");
    if (!said) return;
    CHECK_MESSAGE(contains(*said, "an arena is reset only when none of its objects lives"), *said);
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
    REQUIRE(run_toft("record --sample 4096 -o " + sampled + working_target).status == 0);
    const run_result sample = run_toft("replay " + sampled);
    CHECK(sample.status == 1);
    CHECK(contains(sample.err, "record without --sample"));
}

TEST_CASE("toft replay: a recording that was cut is replayed as far as it goes, or refused") {
    const std::string whole = contents_of(recorded());
    for (const std::size_t eighths : {1, 3, 5, 7}) {
        const std::string cut = scratch("cut.toft");
        write_to(cut, whole.substr(0, whole.size() * eighths / 8));
        const run_result r = run_toft("replay " + cut + quick_replay);
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
    const run_result r = run_toft("replay " + path + quick_replay);
    CAPTURE(r.out);
    CHECK(r.status == 1);
    CHECK(r.out.empty());
    CHECK(contains(r.err, "toft: "));
}

TEST_CASE("toft replay: functions in C keep their names, those that are codes of C++ types too") {
    const std::string file = scratch("short-names.toft");
    REQUIRE(run_toft("record -o " + file + " -- '" TOFT_SHORT_NAMES "'").status == 0);
    if (!tells_functions()) return;
    for (const char *name : {"f", "w"}) {
        const run_result r = run_toft("replay " + file + quick_replay + "--arena " + name);
        CAPTURE(r.err);
        CHECK(r.status == 0);
        CHECK(contains(r.out, "Placed: 100 objects"));
    }
}

TEST_CASE("toft replay: a program that fails, and one that doesn't fit, are told as such") {
    const run_result failing =
        run_toft("replay " + recorded() + quick_replay +
                 "--preload mine='" TOFT_BUMP_MALLOC "' -- '" + TOFT_TRY_TARGET "' fail");
    CAPTURE(failing.out);
    CHECK(failing.status == 1);
    CHECK(contains(unwrapped(failing.out), "Failed: try_target: exited with status 3: not today."));
    CHECK(contains(unwrapped(failing.out), "isn't known: try_target exited with status 3"));
    const run_result other = run_toft("replay " + recorded() + quick_replay + "--preload mine='" +
                                      TOFT_BUMP_MALLOC "' --program-cpu 0.001");
    CAPTURE(other.out);
    CHECK(other.status == 0);
    CHECK(contains(unwrapped(other.out), "isn't known: the heap work alone takes"));
    CHECK_FALSE(contains(unwrapped(other.out), "% of the program's CPU time"));
}

TEST_CASE("toft replay: the first row is the malloc that the program brings") {
    const std::string file = scratch("own-malloc.toft");
    const std::string program = " -- '" TOFT_TRY_TARGET_WITH_HOARD "' work";
    REQUIRE(run_toft("record -o " + file + program).status == 0);
    const run_result unknown = run_toft("replay " + file + quick_replay);
    CHECK(unknown.status == 2);
    CHECK(contains(unknown.err, "brings the malloc of libhoard.so"));
    CHECK(contains(unknown.err, "LD_LIBRARY_PATH"));
    const std::string json = scratch("own-malloc.json");
    const std::string folder = std::filesystem::path(TOFT_HOARD_MALLOC).parent_path().string();
    const run_result r = run_shell("LD_LIBRARY_PATH='" + folder + "' '" TOFT_COMMAND "' replay " +
                                   file + quick_replay + "--json " + json + program);
    CAPTURE(r.out);
    CAPTURE(r.err);
    CHECK(r.status == 0);
    CHECK(contains(unwrapped(r.out), "the program brings the malloc of "));
    CHECK(contains(unwrapped(r.out), "libhoard.so: that is the first row"));
    const auto rows = nlohmann::json::parse(contents_of(json))["suites"][0]["rows"];
    CHECK(rows[0]["allocator"] == "libhoard.so");
    CHECK(rows[1]["allocator"] == "glibc");
    const run_result advised =
        run_shell("LD_LIBRARY_PATH='" + folder + "' '" TOFT_COMMAND "' advise " + file);
    CAPTURE(advised.out);
    CHECK(contains(unwrapped(advised.out), "brings the malloc of libhoard.so: gains are told"));
    CHECK_FALSE(contains(advised.out, "libhoard.so alone"));
    CHECK(contains(advised.out, "glibc "));
    CHECK(contains(unwrapped(run_toft("advise " + file).out),
                   "alone gains isn't known: the program brings the malloc of libhoard.so"));
}

TEST_CASE("toft replay: the file and the page have the conclusion, and the page the predictions") {
    const std::string json = scratch("page.json"), html = scratch("page.html");
    const run_result r = run_toft("replay " + recorded() + quick_replay +
                                  "--program-cpu 5000 --json " + json + " --html " + html);
    if (lacks_report(r)) return;
    CAPTURE(r.err);
    CHECK(r.status == 0);
    const auto conclusion = nlohmann::json::parse(contents_of(json))["suites"][0]["conclusion"];
    CHECK(contains(unwrapped(r.out), conclusion.get<std::string>()));
    const std::string page = contents_of(html);
    CHECK(contains(page, "\"title\":\"toft replay\""));
    CHECK(contains(page, "whole program, predicted"));
    CHECK_FALSE(contains(page, "Processes for each figure"));
}
