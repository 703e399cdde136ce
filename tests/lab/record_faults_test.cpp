// SPDX-License-Identifier: MIT
// `toft record` when something beside the program goes wrong.
#include "command.hpp"
#include "recording_parts.hpp"

#include <algorithm>
#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <iterator>
#include <record/recording.hpp>
#include <sys/stat.h>

namespace {

using namespace toft::lab;
namespace fs = std::filesystem;

const std::string toft_record = "'" TOFT_COMMAND "' record ";
const std::string record_target = " -- '" TOFT_RECORD_TARGET "' ";

std::string to(const std::string &path) { return "-o '" + path + "'"; }

std::size_t allocations_in(const std::string &path, std::uint64_t bytes) {
    std::size_t count = 0;
    read_recording(path).for_each([&](std::span<const heap_event> events) {
        count += static_cast<std::size_t>(
            std::count_if(events.begin(), events.end(), [&](const heap_event &e) {
                return e.call == heap_call::allocate && e.bytes == bytes;
            }));
    });
    return count;
}

} // namespace

TEST_CASE("toft record: a disk that is full isn't a process that was killed") {
    const std::string path = scratch("full");
    // A file that may grow no further fails as a full disk does.
    const run_result r = run_shell("trap '' XFSZ; ulimit -f 32; " + toft_record + to(path) +
                                   record_target + "memory 4");
    CAPTURE(r.err);
    CHECK(r.status == 1);
    CHECK(contains(r.err, "can't write " + path + ": File too large; recording ends here"));
    CHECK(contains(r.err, "incomplete: its recording failed: File too large"));
    CHECK_FALSE(contains(r.err, "killed"));
    CHECK(contains(read_recording(path).incomplete, "its recording failed: File too large"));
    const run_result own = run_shell("trap '' XFSZ; ulimit -f 32; " + toft_record + to(path) +
                                     " -- sh -c \"'" TOFT_RECORD_TARGET "' memory 4; exit 7\"");
    CHECK(own.status == 7);
}

TEST_CASE("toft record: quick_exit() loses nothing") {
    const std::string path = scratch("quick");
    const run_result r = run_shell(toft_record + to(path) + record_target + "quick 40000");
    CAPTURE(r.err);
    CHECK(r.status == 6);
    CHECK_FALSE(contains(r.err, "incomplete"));
    CHECK(read_recording(path).incomplete.empty());
    CHECK(allocations_in(path, 5001) == 40'000);
    CHECK(allocations_in(path, 5002) == 1); // by what the program does at its end
}

TEST_CASE("toft record: a file that can't be made is told before the program runs") {
    const std::string trace = scratch("ran");
    const auto refuses = [&](const std::string &options, int status, const std::string &why) {
        const run_result r =
            run_shell("timeout 20 " + toft_record + options + " -- touch '" + trace + "'");
        CAPTURE(options);
        CAPTURE(r.err);
        CHECK(r.status == status);
        CHECK(contains(r.err, why));
        CHECK_FALSE(fs::exists(trace));
    };
    refuses(to(scratch("no-such-folder/x.toft")), 1, "can't write " + scratch("no-such-folder"));
    refuses(to(scratch(std::string(300, 'x'))), 1, "File name too long");
    const std::string pipe = scratch("pipe");
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    refuses(to(pipe), 2, "is no recording");
    CHECK_FALSE(fs::exists(scratch("ran")));
}

TEST_CASE("toft record: the status is the program's, wherever words and ends of children go") {
    const std::string path = scratch("statuses");
    const std::string words = toft_record + to(path) + " -- sh -c 'exit 3'";
    CHECK(run_shell(words + " 2>&-").status == 3);
    CHECK(run_shell(words + " 2>/dev/full").status == 3);
    CHECK(read_recording(path).incomplete.empty());
    const run_result unwaited = run_shell("python3 -c 'import os, signal, sys\n"
                                          "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
                                          "os.execv(sys.argv[1], sys.argv[1:])' " +
                                          words);
    CAPTURE(unwaited.err);
    CHECK(unwaited.status == 3);
}

TEST_CASE("toft record: a new recording takes away the former one's files of other processes") {
    const std::string path = scratch("again.toft");
    REQUIRE(run_shell(toft_record + to(path) + record_target + "fork").status == 0);
    REQUIRE(run_shell(toft_record + to(path + ".kept") + record_target + "known").status == 0);
    REQUIRE(run_shell(toft_record + to(path + ".1") + record_target + "known").status == 0);
    write_to(path + ".7", "no recording");
    REQUIRE(run_shell(toft_record + to(path) + record_target + "exec").status == 0);
    REQUIRE(fs::exists(path + ".exec-1"));
    REQUIRE(run_shell(toft_record + to(path) + record_target + "known").status == 0);
    std::size_t files = 0;
    for (const auto &entry : fs::directory_iterator(fs::path(path).parent_path()))
        files += entry.path().string().starts_with(path);
    CHECK(files == 4); // with those that toft record hasn't named so
    CHECK(fs::exists(path + ".kept"));
    CHECK(fs::exists(path + ".1")); // though it isn't process 1 that is recorded there
    CHECK(contents_of(path + ".7") == "no recording");
}

TEST_CASE("toft record: a program that loses the recorder when it becomes another one is told") {
    const std::string path = scratch("cleared"), lost = "which isn't recorded";
    const run_result cleared = run_shell(toft_record + to(path) + " -- env -i /bin/true");
    CHECK(cleared.status == 0);
    CHECK(contains(cleared.err, lost));
    CHECK_FALSE(contains(run_shell(toft_record + to(path) + " -- env /bin/true").err, lost));
    CHECK_FALSE(contains(run_shell(toft_record + to(path) + " -- env /none/such").err, lost));
}

TEST_CASE("toft record: what a signal takes along is said") {
    const std::string path = scratch("ended");
    const auto killed_by_another = [&](const std::string &signal) { // its child
        return run_shell(toft_record + to(path) + " -- sh -c 'sh -c \"kill " + signal +
                         " \\$PPID\"; exec sleep 60'");
    };
    const run_result asked = killed_by_another("-15");
    CHECK(asked.status == 128 + SIGTERM);
    CHECK_FALSE(contains(asked.err, "missing"));
    const run_result killed = killed_by_another("-9");
    CHECK(killed.status == 128 + SIGKILL);
    CHECK(contains(killed.err, "Signal 9 ended the program: up to 131,072 calls of each thread "
                               "are missing"));
}

TEST_CASE("toft record: a program without a call is told that it may bring its own malloc") {
    const std::string path = scratch("nothing"), note = "may bring a malloc of its own";
    const auto said_of = [&](const std::string &rest) {
        return unwrapped(run_shell(toft_record + to(path) + rest).err);
    };
    CHECK(contains(said_of(" -- /bin/true"), note));
    CHECK_FALSE(contains(said_of(" --sample 1G -- /bin/true"), note));
    CHECK_FALSE(contains(said_of(record_target + std::string("known")), note));
    // Its child has calls.
    CHECK_FALSE(contains(said_of(" -- '" TOFT_RECORD_RIGHTS "' fork files"), note));
}

TEST_CASE("toft record --sample: a number of bytes may have a unit behind it") {
    const std::string path = scratch("units");
    for (const std::string good : {"65536", "64K", "1M", "17179869183G"})
        CHECK_MESSAGE(
            run_shell(toft_record + to(path) + " --sample " + good + " -- true").status == 0, good);
    for (const std::string bad :
         {"0", "0K", "K", "64X", "64KK", "1.5K", "-1", "17179869184G", "''"}) {
        const run_result r = run_shell(toft_record + to(path) + " --sample " + bad + " -- true");
        CAPTURE(bad);
        CHECK(r.status == 2);
        CHECK(contains(r.err, "isn't a number of bytes above 0, such as 524288 or 512K"));
    }
}

TEST_CASE("toft record: nothing stays behind where the command's path has a blank") {
    const fs::path folder = scratch("a place: with blanks");
    const fs::path temporary = scratch("temporary");
    fs::create_directories(folder / "bin");
    fs::create_directory(temporary);
    fs::create_directory(scratch("temporary too"));
    fs::copy_file(TOFT_COMMAND, folder / "bin" / "toft");
    fs::create_symlink(fs::path(TOFT_COMMAND).parent_path().parent_path() / "lib", folder / "lib");
    for (const char *what : {"known", "kill 10"}) {
        const run_result r =
            run_shell("TMPDIR='" + temporary.string() + "' '" + (folder / "bin" / "toft").string() +
                      "' record " + to(scratch("blank")) + record_target + what);
        CAPTURE(r.err);
        CHECK(contains(r.err, " calls, "));
        CHECK(fs::is_empty(temporary));
    }
    // A link in such a folder would do no better than the library itself.
    const run_result r = run_shell("TMPDIR='" + scratch("temporary too") + "' '" +
                                   (folder / "bin" / "toft").string() + "' record " +
                                   to(scratch("blank")) + record_target + "known");
    CAPTURE(r.err);
    CHECK(contains(r.err, " calls, "));
}

TEST_CASE("toft advise: without a place for temporary files it still gives its advice") {
    const std::string path = scratch("advised.toft");
    REQUIRE(run_shell(toft_record + to(path) + record_target + "many").status == 0);
    const std::string json = scratch("advised.json");
    const run_result r =
        run_shell("TMPDIR=/no/such/folder '" TOFT_COMMAND "' advise " + path + " --json " + json);
    CAPTURE(r.out);
    CAPTURE(r.err);
    CHECK(r.status == 0);
    CHECK(contains(unwrapped(r.out), "TMPDIR"));
    CHECK(contains(unwrapped(r.out), "--no-replay"));
    CHECK(fs::exists(json));
}

TEST_CASE("toft advise, toft export: nobody waits for a pipe, as a recording, program or module") {
    const std::string pipe = scratch("nobody-writes"), path = scratch("piped.toft");
    REQUIRE(mkfifo(pipe.c_str(), 0700) == 0);
    REQUIRE(run_shell(toft_record + to(path) + record_target + "many").status == 0);
    const auto tells = [](const std::string &words, int status, const std::string &why) {
        const run_result r = run_shell("timeout 100 '" TOFT_COMMAND "' " + words);
        CAPTURE(words);
        CAPTURE(r.err);
        CHECK(r.status == status);
        CHECK(contains(r.err, why));
    };
    const std::string profile = " --pprof '" + scratch("piped.gz") + "'";
    tells("advise '" + pipe + "'", 1, "is no regular file, and so no recording");
    tells("export '" + pipe + "'" + profile, 1, "is no regular file, and so no recording");
    tells("record " + to(path) + " -- '" + pipe + "'", 2, "is no regular file, and so no program");
    recording_parts parts(path);
    for (recording_block &b : parts.blocks) {
        if (b.header.kind != toft_block_module) continue;
        auto module = b.at<toft_module_payload>(0);
        b.payload.resize(sizeof module + module.build_id_bytes);
        module.path_bytes = static_cast<std::uint32_t>(pipe.size());
        b.put(0, module);
        b.payload += pipe;
    }
    parts.write(path);
    tells("advise --no-replay '" + path + "'", 0, "");
    tells("export '" + path + "'" + profile, 0, "1 recording");
}

TEST_CASE("toft record: of two runs that are given one name, the one that lost its file says so") {
    // The second run takes place within the first one, whose file may be there by then or not.
    for (const std::string words : {"sh -c ", "sh -c 'exec sh -c \"$1\"' sh "}) {
        CAPTURE(words);
        const std::string path = scratch("same-name");
        const std::string second = "env -u LD_PRELOAD " TOFT_COMMAND " record " + to(path) +
                                   " -- " TOFT_RECORD_TARGET " leave 300; true";
        const run_result r =
            run_shell(toft_record + to(path) + " -- " + words + '"' + second + '"');
        CAPTURE(r.err);
        CHECK(r.status == 1);
        CHECK(contains(r.err, path + " is the recording of another run, which was given the same"));
        CHECK(allocations_in(path, 5001) == 300);
        CHECK_FALSE(contains(r.err, "process that it started"));
    }
}

TEST_CASE(
    "toft record: a file of another run is left as it is, though the process has its number") {
    // What a container's process finds in a folder that it shares with another one.
    const std::string path = scratch("same-number");
    const run_result r =
        run_shell(toft_record + to(path) +
                  " -- sh -c 'TOFT_RECORD_RUN=7 exec " TOFT_RECORD_TARGET " leave 300'");
    CAPTURE(r.err);
    CHECK_FALSE(fs::exists(path + ".exec-1"));
    const std::string number = std::to_string(process_of_recording(path));
    CHECK(allocations_in(path, 5001) == 0);
    CHECK(allocations_in(path + "." + number, 5001) == 300);
    CHECK_FALSE(contains(r.err, "and 1 file of processes"));
}

TEST_CASE("toft record: without -o, a process whose number was there before takes another name") {
    const std::string folder = scratch("numbers");
    fs::create_directory(folder);
    const std::string again =
        "cd " + folder + " && unshare --pid --fork " + toft_record + record_target;
    const run_result first = run_shell(again + "leave 100");
    if (!fs::exists(folder + "/record_target.2.toft")) {
        MESSAGE("left out, since this user may not do it: ", first.err);
        return;
    }
    const std::string before = contents_of(folder + "/record_target.2.toft");
    for (const int run : {2, 3}) {
        const run_result r = run_shell(again + "leave 300");
        const std::string name = "record_target.2." + std::to_string(run) + ".toft";
        CAPTURE(r.err);
        CHECK(r.status == 5); // the program's own
        CHECK(contains(r.err, "toft record: " + folder + "/" + name + ": "));
        CHECK_FALSE(contains(r.err, "of processes"));
        CHECK(allocations_in(folder + "/" + name, 5001) == 300);
    }
    CHECK(contents_of(folder + "/record_target.2.toft") == before);
    CHECK(std::distance(fs::directory_iterator(folder), fs::directory_iterator()) == 3);
}

TEST_CASE("toft record: a recorder that can't begin says why") {
    // For memory: somewhere between what the program needs and what the recorder does.
    const std::string path = scratch("starved");
    bool is_told = false;
    for (int kilobytes = 64 << 10; !is_told && kilobytes > 0; kilobytes -= 1 << 10) {
        const run_result r = run_shell(toft_record + to(path) + " -- sh -c 'ulimit -v " +
                                       std::to_string(kilobytes) + "; exec true'");
        is_told = contains(r.err, "Cannot allocate memory; nothing of this program is recorded");
    }
    CHECK(is_told);
}

TEST_CASE(
    "toft record: a folder that can't be written is told with the file's name as it will be") {
    const std::string folder = scratch("gone");
    const run_result r = run_shell("mkdir " + folder + " && cd " + folder + " && rmdir " + folder +
                                   " && " + toft_record + "-- true");
    CAPTURE(r.err);
    CHECK(r.status != 0);
    CHECK_FALSE(contains(r.err, "%"));
    CHECK_FALSE(contains(r.err, "filesystem error"));
    const run_result in_proc = run_shell("cd /proc && " + toft_record + "-- true");
    CHECK(in_proc.status == 1);
    CHECK(contains(in_proc.err, "can't write /proc/true.PID.toft: "));
}
