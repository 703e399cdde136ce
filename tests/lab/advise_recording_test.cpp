// SPDX-License-Identifier: MIT
// `toft advise -- PROGRAM`: the program is recorded first, as `toft record` does.
#include "command.hpp"

#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

// A folder to work in, which has no files yet.
std::string folder_of(const std::string &test) {
    const std::string folder = scratch("advises-" + test);
    fs::create_directory(folder);
    return folder;
}

run_result advise_in(const std::string &folder, const std::string &words) {
    return run_shell("cd '" + folder + "' && '" TOFT_COMMAND "' advise " + words);
}

std::vector<std::string> recordings_in(const std::string &folder) {
    std::vector<std::string> names;
    for (const fs::directory_entry &entry : fs::directory_iterator(folder))
        if (contains(entry.path().filename().string(), ".toft"))
            names.push_back(entry.path().filename().string());
    return names;
}

} // namespace

TEST_CASE("toft advise -- PROGRAM: it is recorded into a new file, which the advice names") {
    const std::string folder = folder_of("alone");
    const std::string options = "--no-replay --json advice.json ";
    const run_result said = advise_in(folder, options + "-- '" TOFT_RECORD_TARGET "' one_stays");
    CAPTURE(said.err);
    REQUIRE(said.status == 0);
    const std::vector<std::string> made = recordings_in(folder);
    REQUIRE(made.size() == 1);
    CHECK(made[0].starts_with("record_target."));
    CHECK(contains(said.err, "toft record: "));
    CHECK(contains(said.err, "/" + made[0] + ": "));
    const std::string told = "The program was recorded into " + made[0] + ", which `toft verify` ";
    CHECK(contains(unwrapped(said.out), told));
    CHECK(contains(unwrapped(said.out), "The program was run for its CPU time: "));
    CHECK(contains(contents_of(folder + "/advice.json"), told));
    // The same as of that file, which a second run leaves alone.
    CHECK(advise_in(folder, "--no-replay " + made[0]).status == 0);
    const std::string before = contents_of(folder + "/" + made[0]);
    CHECK(advise_in(folder, options + "-- '" TOFT_RECORD_TARGET "' one_stays").status == 0);
    CHECK(recordings_in(folder).size() == 2);
    CHECK(contents_of(folder + "/" + made[0]) == before);
}

TEST_CASE("toft advise: the advice is told though a file of it can't be written") {
    const std::string folder = folder_of("full");
    const run_result said =
        advise_in(folder, "--no-replay --json /dev/full -- '" TOFT_RECORD_TARGET "' one_stays");
    CAPTURE(said.err);
    CHECK(said.status == 1);
    CHECK(contains(said.err, "can't write /dev/full"));
    CHECK(contains(unwrapped(said.out), "The program was recorded into "));
}

TEST_CASE("toft advise -- PROGRAM: what the program reads and writes isn't the advice's") {
    const std::string folder = folder_of("streams");
    write_to(folder + "/input", "word\n");
    const run_result said =
        advise_in(folder, "--no-replay -- sh -c 'cat >read; echo written' <input");
    CAPTURE(said.err);
    REQUIRE(said.status == 0);
    CHECK_FALSE(contains(said.out, "written"));
    CHECK(contents_of(folder + "/read").empty());
}

TEST_CASE("toft advise -- PROGRAM: what can't be recorded, or fails, ends with the same words") {
    const std::string folder = folder_of("refused");
    const auto ends = [&](const std::string &words, int status, const std::string &why) {
        CAPTURE(words);
        const run_result said = advise_in(folder, words);
        CAPTURE(said.err);
        CHECK(said.status == status);
        CHECK(said.out.empty());
        CHECK(contains(unwrapped(said.err), why));
    };
    ends("-- no-such-program", 2, "no program is named 'no-such-program' in PATH");
    ends("-- '" TOFT_TRY_TARGET_STATIC "' work", 2, "linked statically");
    ends("-- '" TOFT_TRY_TARGET_OWN_MALLOC "' work", 2, "brings its own malloc");
    ends("--cpu 1 -- true", 2, "leave one of them out");
    ends("--json no/such/folder.json -- true", 1, "no/such/folder.json");
    CHECK(recordings_in(folder).empty()); // nor was anything run
    ends("--json a.json -- sh -c 'exit 126'", 2,
         "sh exited with status 126. Make it succeed first, or");
    CHECK_FALSE(fs::exists(folder + "/a.json"));
    const std::vector<std::string> made = recordings_in(folder);
    REQUIRE(made.size() == 1);
    ends("-- sh -c 'exit 255'", 2, "sh exited with status 255. Make it succeed first, or");
    ends("-- sh -c 'exit 127'", 2, "take its recording without running it again: toft advise sh.");
    ends("-- '" TOFT_RECORD_TARGET "' crash 10", 2, "crashed with signal 11 ");
    ends("-- sh -c 'kill -TERM $$'", 130, "tells of it toft: interrupted");
    CHECK(advise_in(folder, "--no-replay " + made[0]).status == 0);
}

TEST_CASE("toft advise -- PROGRAM: a status that tells something is its usual end") {
    const std::string folder = folder_of("status");
    const run_result said = advise_in(folder, "--no-replay --json a.json -- sh -c 'exit 3'");
    CAPTURE(said.err);
    CHECK(said.status == 0);
    const std::string told = "sh exited with status 3. That is taken for its usual end: ";
    CHECK(contains(unwrapped(said.out), told));
    CHECK(contains(contents_of(folder + "/a.json"), told));
    const std::string recorded = "--no-replay " + recordings_in(folder).front();
    CHECK(advise_in(folder, recorded + " -- sh -c 'exit 3'").status == 2);
    CHECK(advise_in(folder, recorded + " --status 3 -- sh -c 'exit 3'").status == 0);
    for (const std::string later : {"0", "4"}) {
        const std::string once = "test -e " + later + " && exit " + later + "; >" + later;
        const run_result other = advise_in(folder, "-- sh -c '" + once + "; exit 3'");
        CAPTURE(other.err);
        CHECK(other.status == 2);
        CHECK(contains(unwrapped(other.err), "sh exited with status " + later + ". Make it "));
    }
}

TEST_CASE("toft advise -- PROGRAM: it isn't run again when it handles a signal that ends toft") {
    const auto former = std::signal(SIGINT, SIG_DFL); // which a shell's background ignores
    const std::string waits = "while :; do sleep 0.01; done";
    for (const std::string &signals :
         {"trap \"exit 0\" TERM; kill -TERM $PPID; " + waits,
          "trap \"exit 0\" HUP; kill -HUP $PPID; " + waits, std::string("kill -INT $PPID")}) {
        CAPTURE(signals);
        const std::string folder = folder_of("asked-" + std::to_string(signals.size()));
        const std::string program = "echo run >>runs; test -e ran && exit; >ran; " + signals;
        const run_result said = advise_in(folder, "--json a.json -- sh -c '" + program + "'");
        CAPTURE(said.err);
        CHECK(said.status == 130);
        CHECK(said.out.empty());
        CHECK(contents_of(folder + "/runs") == "run\n");
        CHECK_FALSE(fs::exists(folder + "/a.json"));
        const std::vector<std::string> made = recordings_in(folder);
        REQUIRE(!made.empty());
        CHECK(contains(unwrapped(said.err), "the recording is kept: `toft advise sh."));
    }
    std::signal(SIGINT, former);
}

TEST_CASE("toft advise -- PROGRAM: the file of a child that does more is told") {
    const std::string folder = folder_of("children");
    const run_result said =
        advise_in(folder, "--no-replay -- sh -c '\"" TOFT_RECORD_TARGET "\" many; true'");
    CAPTURE(said.err);
    REQUIRE(said.status == 0);
    CHECK(contains(said.err, "and 1 file of processes that it started"));
    std::string child; // its name has two numbers
    for (const std::string &name : recordings_in(folder))
        if (!name.ends_with(".toft")) child = name;
    REQUIRE(!child.empty());
    CHECK(contains(unwrapped(said.out), "made more calls of its heap, "));
    CHECK(contains(unwrapped(said.out), "`toft advise " + child + "` tells of it."));
    const run_result forks = advise_in(folder, "--no-replay -- '" TOFT_RECORD_TARGET "' one_stays");
    CHECK_FALSE(contains(unwrapped(forks.out), "made more calls of its heap"));
}

TEST_CASE("toft advise -- PROGRAM: what it was before an exec isn't called another process") {
    const std::string folder = folder_of("becomes");
    const std::string assigns = "i=0; while test $i != 500; do i=$((i + 1)); done; ";
    const run_result said = advise_in(folder, "--no-replay -- sh -c '" + assigns +
                                                  "exec \"" TOFT_RECORD_TARGET "\" known'");
    CAPTURE(said.err);
    REQUIRE(said.status == 0);
    CHECK(contains(unwrapped(said.out), "Before it became another program, this process made "));
    CHECK(contains(unwrapped(said.out), ".toft.exec-1` tells of it."));
    CHECK_FALSE(contains(unwrapped(said.out), "Another process of this run"));
}
