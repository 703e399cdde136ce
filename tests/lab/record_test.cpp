// SPDX-License-Identifier: MIT
// `toft record`, and what is read back: against a program whose calls are known.
#include "recorded_run.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <map>
#include <optional>
#include <record/recording.hpp>
#include <set>
#include <show/cells.hpp>
#include <sstream>

namespace {

using namespace toft::lab;
namespace fs = std::filesystem;

// The only one.
heap_event one_of_size(const read_back &r, std::uint64_t bytes) {
    const std::vector<heap_event> found = of_size(r, bytes);
    CAPTURE(bytes);
    REQUIRE(found.size() == 1);
    return found.front();
}

// The next free of that address after the only event of that size.
heap_event free_of_size(const read_back &r, std::uint64_t bytes) {
    const heap_event made = one_of_size(r, bytes);
    const auto is_it = [&](const heap_event &e) {
        return e.call != heap_call::free && e.bytes == bytes;
    };
    const auto from = std::find_if(r.events.begin(), r.events.end(), is_it);
    const auto found = std::find_if(from, r.events.end(), [&](const heap_event &e) {
        return e.call == heap_call::free && e.address == made.address;
    });
    REQUIRE(found != r.events.end());
    return *found;
}

std::vector<std::uint64_t> functions_of(const recording &r, const heap_event &e) {
    std::vector<std::uint64_t> functions;
    for (std::uint32_t node = e.stack; node != 0; node = r.stacks[node].parent)
        functions.push_back(r.stacks[node].function);
    return functions;
}

std::string module_of(const recording &r, std::uint32_t node) {
    return fs::path(r.modules[r.stacks[node].module].path).filename().string();
}

} // namespace

TEST_CASE("toft record: each call, its size, and the functions that made it") {
    const recorded made = record("known");
    CAPTURE(made.run.err);
    REQUIRE(made.run.status == 0);
    CHECK(contains(made.run.err, "toft record: " + made.path + ": "));
    std::map<std::string, std::uint64_t> address;
    std::istringstream lines(made.run.out);
    for (std::string name; lines >> name;) lines >> std::hex >> address[name];
    const read_back r = read_all(made.path);
    CHECK(r.what.incomplete.empty());
    CHECK(r.what.sampled_bytes == 0);
    REQUIRE(r.what.command_line.size() == 2);
    CHECK(r.what.command_line[1] == "known");

    const heap_event first = one_of_size(r, 1001);
    const std::vector<std::uint64_t> functions = functions_of(r.what, first);
    REQUIRE(functions.size() >= 6); // known, main and what starts it
    CHECK(functions[0] == address["inner"]);
    CHECK(functions[1] == address["middle"]);
    CHECK(functions[2] == address["outer"]);
    CHECK(module_of(r.what, first.stack) == fs::path(TOFT_RECORD_TARGET).filename());
    const recorded_module &module = r.what.modules[r.what.stacks[first.stack].module];
    CHECK(module.path == TOFT_RECORD_TARGET);
    const heap_event release = free_of_size(r, 1001);
    CHECK(functions_of(r.what, release)[0] == address["release"]);
    CHECK(r.what.threads[first.thread].system_id == r.what.process_id);

    const heap_event grown = one_of_size(r, 100102), shrunk = one_of_size(r, 1103);
    CHECK(grown.call == heap_call::resize);
    CHECK(grown.old_address == one_of_size(r, 1101).address);
    CHECK(shrunk.old_address == grown.address);
    CHECK(one_of_size(r, 3 * 1201).zeroed);
    CHECK(one_of_size(r, 4 * 1301).call == heap_call::allocate);
    CHECK(one_of_size(r, 1401).call == heap_call::allocate);
    CHECK(one_of_size(r, 1501).alignment == 256);
    CHECK(one_of_size(r, 1536).alignment == 512);
    CHECK(one_of_size(r, 1601).alignment == 64);
    CHECK(one_of_size(r, 1701).alignment == 4096);
    for (const std::uint64_t bytes : {1201 * 3, 4 * 1301, 1401, 1501, 1536, 1601, 1701, 1801, 1103})
        free_of_size(r, bytes);
    const heap_event leaked = one_of_size(r, 1901);
    CHECK(std::none_of(r.events.begin(), r.events.end(), [&](const heap_event &e) {
        return e.time_ns > leaked.time_ns && e.call == heap_call::free &&
               e.address == leaked.address;
    }));
}

TEST_CASE("toft advise: the time that is said to be needed for replays is enough") {
    const std::string path = record("pairs 90").path; // 3.6 million events
    const auto said_with = [&](const std::string &seconds) {
        return unwrapped(run_toft("advise --replay-time " + seconds + " " + path).out);
    };
    const std::string said = said_with("1"), before = "replays take some ";
    const std::size_t at = said.find(before);
    REQUIRE_MESSAGE(at != said.npos, said);
    const std::string needed = said.substr(at + before.size(), 1);
    CHECK(contains(said, before + needed + " s: --replay-time allows more"));
    CHECK_FALSE(contains(said_with(needed), before));
}

TEST_CASE("toft record: a resized object is one object, as toft advise counts it") {
    const recorded made = record("known");
    REQUIRE(made.run.status == 0);
    const read_back r = read_all(made.path);
    const auto objects = std::ranges::count(r.events, heap_call::allocate, &heap_event::call);
    REQUIRE(std::ranges::count(r.events, heap_call::resize, &heap_event::call) != 0);
    const std::string said = counted(static_cast<std::uint64_t>(objects), "object");
    CHECK_MESSAGE(contains(unwrapped(made.run.err), ", " + said + " of "), made.run.err);
    const run_result advised = run_toft("advise --no-replay '" + made.path + "'");
    CHECK_MESSAGE(contains(unwrapped(advised.out), ": " + said + " on "), advised.out);
}

TEST_CASE("a recording that is given twice is refused, since it would count twice") {
    const recorded one = record("known"), other = record("known");
    const std::string copy = scratch("copy.toft"), profile = scratch("twice.pb");
    write_to(copy, contents_of(one.path));
    const std::string twice = one.path + " " + other.path + " " + copy;
    const std::string refusal = one.path + " and " + copy + " are recordings of one run, ";
    const auto refused = [](const std::string &arguments) {
        const run_result r = run_toft(arguments);
        CAPTURE(r.out);
        CHECK(r.status == 2);
        return unwrapped(r.err);
    };
    CHECK(contains(refused("advise --no-replay " + twice), refusal));
    CHECK(contains(refused("export --pprof " + profile + " " + twice), refusal));
    CHECK_FALSE(fs::exists(profile));
    CHECK(contains(refused("verify --advice 1 " + one.path + " --with " + copy + " -- true"),
                   refusal));
    CHECK(run_toft("advise --no-replay " + one.path + " " + other.path).status == 0);
}

TEST_CASE("an output that is /dev/stdout goes into a pipe too, and none is called -") {
    const std::string path = record("known").path;
    const std::string toft = "'" TOFT_COMMAND "' ";
    const run_result advised =
        run_shell(toft + "advise --no-replay --json /dev/stdout " + path + " | cat");
    CHECK_MESSAGE(contains(advised.out, "\"schema\": \"toft-advice\""), advised.err);
    const run_result profile = run_shell(toft + "export --pprof /dev/stdout " + path + " | cat");
    CHECK_MESSAGE(contains(profile.out, "\x1f\x8b"), profile.err); // gzip's
    const run_result dash = run_toft("advise --no-replay --json - " + path);
    CHECK(dash.status == 2);
    CHECK(contains(dash.err, "'-' names no file"));
    CHECK_FALSE(fs::exists("-"));
}

TEST_CASE("toft record: a forked child has a file of its own, and nothing is written twice") {
    const recorded made = record("fork");
    REQUIRE(made.run.status == 0);
    const read_back parent = read_all(made.path);
    const heap_event shared = one_of_size(parent, 7002);
    for (const std::uint64_t bytes : {7001, 7004, 7005}) one_of_size(parent, bytes);
    CHECK(of_size(parent, 7003).empty());
    const std::vector<std::string> others = children_of(made.path);
    REQUIRE(others.size() == 1);
    const read_back child = read_all(others.front());
    CHECK(others.front() == made.path + "." + std::to_string(child.what.process_id));
    CHECK(child.what.process_id != parent.what.process_id);
    const heap_event own = one_of_size(child, 7003);
    CHECK(of_size(child, 7001).empty());
    CHECK(of_size(child, 7005).empty());
    CHECK(child.events.front().call == heap_call::free); // of an object that the parent made
    CHECK(child.events.front().address == shared.address);
    CHECK(functions_of(child.what, own).size() >= 4);
    CHECK(contains(made.run.err, "and 1 file of processes that it started"));
    CHECK_FALSE(contains(made.run.err, "no end yet"));
}

TEST_CASE("toft advise: a program after -- that wasn't recorded is told") {
    const std::string path = record("known").path;
    const auto said_of = [&](const std::string &program) {
        const run_result r = run_toft("advise --no-replay " + path + " -- " + program);
        CHECK_MESSAGE(r.status == 0, r.err);
        return unwrapped(r.out);
    };
    CHECK(contains(said_of("true"), "/true isn't in the recording: what is told of its runs holds "
                                    "only if it starts "));
    CHECK_FALSE(contains(said_of(TOFT_RECORD_TARGET " known"), "isn't in the recording"));
}

TEST_CASE("toft record: of a process that it started and that has no end, that is said") {
    const std::string path = scratch("killed-child.toft");
    const run_result r =
        run_toft("record -o '" + path + "' -- sh -c '" TOFT_RECORD_TARGET " kill 10; exit 0'");
    CAPTURE(r.err);
    CHECK(r.status == 0);
    CHECK(contains(r.err, "1 of them has no end yet: such a process still runs, or was killed"));
}

TEST_CASE("toft record: a child that closes a library first leaves its parent's file alone") {
    const recorded made = record("closes_in_child '" TOFT_RECORD_LIBRARY_A "'");
    REQUIRE(made.run.status == 0);
    const read_back parent = read_all(made.path);
    for (const std::uint64_t bytes : {7101, 7102}) one_of_size(parent, bytes);
    CHECK(of_size(parent, 7103).empty());
    const std::vector<std::string> others = children_of(made.path);
    REQUIRE(others.size() == 1);
    one_of_size(read_all(others.front()), 7103);
}

TEST_CASE("toft record: when a process becomes another program, both are there") {
    const recorded made = record("exec");
    REQUIRE(made.run.status == 0);
    const read_back after = read_all(made.path);
    one_of_size(after, 1001);
    const read_back before = read_all(made.path + ".exec-1");
    CHECK(before.what.incomplete.empty());
    one_of_size(before, 6001);
    one_of_size(before, 6002); // after a call of exec that failed
    CHECK(before.what.process_id == after.what.process_id);
}

TEST_CASE("toft record: a process that dies has lost its last block at most") {
    constexpr std::size_t made_before = 200'000, block = 1 << 17;
    const auto dies = [&](const std::string &how, int status, std::size_t at_least) {
        CAPTURE(how);
        const recorded made = record(how + " " + std::to_string(made_before));
        CHECK(made.run.status == status);
        const read_back r = read_all(made.path);
        CHECK(of_size(r, 5001).size() >= at_least);
        CHECK(of_size(r, 5001).size() <= made_before);
        return r.what.incomplete;
    };
    CHECK(dies("leave", 5, made_before).empty());
    CHECK(dies("abort", 128 + SIGABRT, made_before).empty());
    CHECK(contains(dies("kill", 128 + SIGKILL, made_before - block), "was killed"));
    CHECK(dies("crash", 128 + SIGSEGV, made_before).empty());
}

TEST_CASE("toft record: a library that takes another's place has its own stacks") {
    const recorded made =
        record("libraries '" TOFT_RECORD_LIBRARY_A "' '" TOFT_RECORD_LIBRARY_B "'");
    REQUIRE(made.run.status == 0);
    const read_back r = read_all(made.path);
    for (const auto &[bytes, path] : std::map<std::uint64_t, std::string>{
             {2101, TOFT_RECORD_LIBRARY_A}, {2102, TOFT_RECORD_LIBRARY_B}}) {
        const std::vector<heap_event> found = of_size(r, bytes);
        REQUIRE(found.size() == 3);
        for (const heap_event &e : found) {
            CHECK(r.what.modules[r.what.stacks[e.stack].module].path == path);
            CHECK(functions_of(r.what, e).size() >= 4);
            CHECK(e.stack == found.front().stack); // the same function, loaded again
        }
    }
}

TEST_CASE("toft record: calls in signal handlers are counted, and those after them recorded") {
    const recorded made = record("signals");
    REQUIRE(made.run.status == 0);
    const read_back r = read_all(made.path);
    CHECK(of_size(r, 9001).empty());
    one_of_size(r, 9002);
    one_of_size(r, 9003);
    CHECK(contains(made.run.err, "1 call missed: in signal handlers"));
}

TEST_CASE("toft record: a program that binds deeply, and one that closes what it didn't open") {
    const recorded deep = record("deepbind");
    REQUIRE(deep.run.status == 0);
    one_of_size(read_all(deep.path), 8101);
    const std::string own = scratch("own-file");
    const recorded made = record("close " + own);
    REQUIRE(made.run.status == 0);
    CHECK(of_size(read_all(made.path), 8001).size() == 80'000);
    CHECK(fs::file_size(own) == 0);
}

TEST_CASE("toft record: a file that is cut or damaged says so, and gives what is intact") {
    const recorded made = record("many");
    REQUIRE(made.run.status == 0);
    CHECK(contains(made.run.err, made.path + ": 40,0")); // calls, and a few of the C library's
    const std::string whole = contents_of(made.path);
    const std::size_t count = read_all(made.path).events.size();
    const std::string path = scratch("damaged");
    write_to(path, whole.substr(0, whole.size() - 3));
    read_back r = read_all(path);
    CHECK(contains(r.what.incomplete, "cut off"));
    CHECK(r.events.size() == count); // only the end block is gone
    const auto events_in = [&](const std::string &contents) -> std::optional<std::size_t> {
        write_to(path, contents);
        try {
            return read_all(path).events.size();
        } catch (const std::runtime_error &e) {
            CHECK(contains(e.what(), path));
            return std::nullopt; // said clearly
        }
    };
    const std::size_t end_block = whole.rfind("TBLK");
    for (std::size_t at = 0; at < whole.size(); at += 1 + whole.size() / 50) {
        CAPTURE(at);
        const std::optional<std::size_t> cut = events_in(whole.substr(0, at));
        CHECK(cut.has_value() == (at >= 16)); // the file's header
        CHECK(cut.value_or(0) <= count);
        std::string flipped = whole;
        flipped[at] = static_cast<char>(flipped[at] ^ 1 << at % 8);
        const std::optional<std::size_t> left = events_in(flipped);
        CHECK((at < end_block ? !left.has_value() : left == count));
    }
    std::string flipped_end = whole; // the end block is the last
    flipped_end.back() = static_cast<char>(flipped_end.back() ^ 1);
    CHECK(events_in(flipped_end) == count);
}

TEST_CASE("toft record: a recording in another version of the format is refused by its version") {
    const recorded made = record("many");
    REQUIRE(made.run.status == 0);
    std::string old = contents_of(made.path);
    constexpr std::size_t version_at = 8; // behind the file's magic
    for (const char version : {'\1', '\115'}) {
        old[version_at] = version;
        const std::string path = scratch("other-version");
        write_to(path, old);
        const run_result r = run_toft("advise '" + path + "'");
        CHECK(r.status == 1);
        CHECK(contains(r.err, "made by version " + std::to_string(version) + " of the format"));
        CHECK(contains(r.err, "record again"));
    }
}

TEST_CASE("toft record: what can't be recorded is refused, with what to do") {
    const auto refuses = [](const std::string &words, const std::string &why) {
        const run_result r = run_toft("record " + words);
        CAPTURE(r.err);
        CHECK(r.status == 2);
        CHECK(contains(r.err, why));
    };
    refuses("-- no-such-program", "no program is named");
    refuses("-- '" TOFT_TRY_TARGET_STATIC "' work", "linked statically");
    refuses("-- '" TOFT_TRY_TARGET_OWN_MALLOC "' work", "brings its own malloc");
    const std::string mine = scratch("mine.txt");
    write_to(mine, "a letter\n");
    refuses("-o '" + mine + "' -- true", "is no recording");
    CHECK(contents_of(mine) == "a letter\n");
}

TEST_CASE("toft record: its own memory is bounded, with many threads and many stacks") {
    const long plain = std::stol(run_shell("'" TOFT_RECORD_TARGET "' memory 64").out);
    const recorded made = record("memory 64");
    REQUIRE(made.run.status == 0);
    const long with_recorder = std::stol(made.run.out);
    MESSAGE("KiB without and with the recorder: ", plain, ", ", with_recorder);
    CHECK(with_recorder - plain <= 32 << 10);
}
