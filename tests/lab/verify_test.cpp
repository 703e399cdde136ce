// SPDX-License-Identifier: MIT
// `toft verify` against a program that keeps to its advice, and breaks it in one way after another.
#include "command.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <sstream>
#include <vector>

namespace {

constexpr const char *target = "'" TOFT_VERIFY_TARGET "'";

struct planted {
    const char *way;
    const char *said; // of the use
    const char *line; // a part of the text of the line that uses it; empty: not looked for
    const char *made = "where it is made */";
};

// As it is printed. Empty: there is none.
std::string place_of(const std::string &text) {
    std::istringstream lines(contents_of(TOFT_VERIFY_TARGET_SOURCE));
    int number = 1;
    for (std::string line; std::getline(lines, line); ++number)
        if (contains(line, text)) return "verify_target.c:" + std::to_string(number) + ")";
    return "";
}

// A recording in which nothing is used late.
std::string recording_of(const std::string &way) {
    const std::string path = scratch("verify-" + way);
    if (!std::filesystem::exists(path)) {
        const run_result made =
            run_toft("record -o '" + path + "' -- " + target + " " + way + " 0");
        REQUIRE(made.status == (way == "status" ? 9 : 0));
    }
    return path;
}

// The seconds are made up, so that the advice doesn't depend on this machine.
run_result verify(const std::string &way, int request, const std::string &options = "--advice 1") {
    return run_toft("verify '" + recording_of(way) + "' --cpu 0.001 " + options + " -- " + target +
                    " " + way + " " + std::to_string(request));
}

const std::vector<planted> all_planted = {
    {"read", "byte 8 of an object of 64 bytes was read", "where it is read"},
    {"write", "byte 8 of an object of 64 bytes was written", "where it is written */"},
    {"copy", "of an object of 64 bytes was read", ""},
    {"container", "byte 8 of an object of 64 bytes was read", "where it is walked"},
    {"thread", "byte 8 of an object of 64 bytes was read", "where it is read"},
    {"at-exit", "byte 8 of an object of 64 bytes was read", "where it is read"},
    {"fork", "byte 8 of an object of 64 bytes was read", "where it is read"},
    {"recursion", "byte 8 of an object of 64 bytes was read", "where the caller reads it"},
    {"resized", "byte 8 of an object of 64 bytes was read", "where it is read",
     "where it is made at first"},
    {"counted", "byte 8 of an object of 64 bytes was read", "where it is read"},
    {"jump", "byte 8 of an object of 64 bytes was read", "where it is read"},
    {"freed", "It had been freed before", "where it is read"},
    {"faults", "byte 8 of an object of 64 bytes was read", "where it is read"},
    {"system-call", "byte 16 of an object of 64 bytes was handed to write()",
     "where it is written out"},
    {"free", "an object of 64 bytes was freed", "where it is freed"},
    {"free-sized", "an object of 64 bytes was freed", "where it goes by size"},
    {"resize", "an object of 64 bytes was resized", "where it is resized"},
};

} // namespace

TEST_CASE("a planted use after the region's end is found, and named with both stacks") {
    for (const planted &p : all_planted) {
        CAPTURE(p.way);
        const run_result found = verify(p.way, 20);
        CAPTURE(found.err);
        CHECK(found.status == 5);
        const std::string err = unwrapped(found.err);
        CHECK(contains(err, "advice 1 doesn't hold."));
        CHECK(contains(err, p.said));
        CHECK(contains(err, "The region, a call of serve"));
        CHECK(contains(err, "It was made here:"));
        if (!tells_functions()) continue;
        CHECK(contains(err.substr(err.find("It was made here:")), place_of(p.made)));
        const std::string used = err.substr(0, err.find("It was made here:"));
        if (*p.line) CHECK(contains(used, place_of(p.line)));
        if (!*p.line) CHECK(contains(used, "copy_kept (verify_target.c:"));
        if (contains(err, "a call of serve, ended here:"))
            CHECK(contains(err.substr(err.find("ended here:")), place_of("where the region ends")));
    }
}

TEST_CASE("a run that keeps to the advice is clean, and says how much it covered") {
    for (const planted &p : all_planted) {
        CAPTURE(p.way);
        const run_result clean = verify(p.way, 0);
        CAPTURE(clean.err);
        CHECK(clean.status == 0);
        const std::string err = unwrapped(clean.err);
        CHECK(contains(err, "no object of advice 1 was used after its region's end."));
        CHECK(contains(err, "100 % of as many as the advice was made from"));
        const bool nested = std::string(p.way) == "recursion";
        CHECK(contains(err, nested ? "20,000 objects were placed" : "5,000 objects were placed"));
        CHECK(
            contains(err, nested ? "200 regions began, 200 ended" : "50 regions began, 50 ended"));
        CHECK(!contains(err, "later call of the heap"));
    }
}

TEST_CASE("what a recording covers and a run doesn't is seen in the coverage") {
    const std::string path = recording_of("read");
    const run_result run =
        run_toft("verify '" + path + "' --cpu 0.001 --advice 1 -- " + target + " leak 0");
    CHECK(run.status == 1);
    CHECK(contains(unwrapped(run.err), "advice 1 wasn't verified: no process called serve"));
}

TEST_CASE("a run that makes none of the advised objects has verified nothing") {
    const run_result run = run_toft("verify '" + recording_of("read") +
                                    "' --cpu 0.001 --advice 1 -- " + target + " resized 0");
    CAPTURE(run.err);
    CHECK(run.status == 1);
    CHECK(contains(unwrapped(run.err), "advice 1 wasn't verified: serve was called, and made none "
                                       "of the advised objects."));
}

TEST_CASE("regions of many threads end one by one, though these block all signals") {
    const run_result clean = verify("threads", 0);
    CAPTURE(clean.err);
    CHECK(clean.status == 0);
    const std::string err = unwrapped(clean.err);
    CHECK(contains(err, "20,000 objects were placed apart, 100 %"));
    CHECK(contains(err, "200 regions began, 200 ended."));
}

TEST_CASE("a region goes on while another coroutine calls the heap on a stack beside its own") {
    const run_result clean = run_toft("verify '" + recording_of("read") +
                                      "' --cpu 0.001 --advice 1 -- " + target + " coroutines 0");
    CAPTURE(clean.err);
    CHECK(clean.status == 0);
    const std::string err = unwrapped(clean.err);
    CHECK(contains(err, "no object of advice 1 was used after its region's end."));
    CHECK(contains(err, "5,000 objects were placed apart, 100 %"));
    CHECK(contains(err, "50 regions began, 50 ended."));
}

TEST_CASE("whether an arena can be reset within a call in this run too is counted") {
    const auto said_of = [](int request) {
        const run_result run = verify("rounds", request);
        CAPTURE(run.err);
        CHECK(run.status == 0);
        const std::string err = unwrapped(run.err);
        CHECK(contains(err, "5,000 objects were placed apart, 100 %"));
        CHECK(contains(err, "1 region began, 1 ended."));
        return err;
    };
    CHECK(contains(said_of(0), "Within calls of serve_in_rounds, the objects had 50 lives, "
                               "between which the arena can be reset; in what was recorded, 50."));
    CHECK(contains(said_of(20), "the objects had 20 lives, between"));
    CHECK(contains(said_of(1), "some object was always alive"));
}

TEST_CASE("a program that is started with SIGSEGV blocked is verified as any other is") {
    const std::string path = recording_of("read");
    for (const auto &[request, status] : {std::pair(0, 0), std::pair(20, 5)}) {
        const run_result run = run_shell(
            "python3 -c 'import os, signal, sys\n"
            "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGSEGV])\n"
            "os.execv(sys.argv[1], sys.argv[1:])' '" TOFT_COMMAND "' verify '" +
            path + "' --cpu 0.001 --advice 1 -- " + target + " read " + std::to_string(request));
        CAPTURE(run.err);
        CHECK(run.status == status);
    }
}

TEST_CASE("a verified program's status and output are its own") {
    CHECK(verify("status", 0).status == 9);
    const std::string script = "'" TOFT_VERIFY_TARGET "' read 0; echo said";
    const run_result run = run_toft("verify '" + recording_of("read") +
                                    "' --cpu 0.001 --advice 1 -- sh -c \"" + script + "\"");
    CAPTURE(run.err);
    CHECK(run.status == 0);
    CHECK(run.out == "said\n");
    CHECK(contains(unwrapped(run.err), "5,000 objects were placed apart"));
}

TEST_CASE("what can't be verified is told before anything runs") {
    const std::string path = recording_of("read");
    const auto refused = [](const run_result &run, const std::string &why) {
        CAPTURE(run.err);
        CHECK(run.status == 2);
        CHECK(contains(unwrapped(run.err), why));
        CHECK(!contains(run.out, "ran"));
    };
    const std::string run_it = " -- sh -c 'echo ran'";
    refused(run_toft("verify '" + path + "' --cpu 0.001 --advice 9" + run_it),
            "there is no advice 9");
    refused(run_toft("verify '" + recording_of("leak") + "' --cpu 0.00001 --advice 1" + run_it),
            "lasts as long as its thread");
    refused(run_toft("verify '" + path + "' --cpu 0.001 --advice 0" + run_it), "--advice");
    refused(run_toft("verify '" + path + "'" + run_it), "--advice is required");
    refused(run_toft("verify '" + path + "' --cpu 0.001 --advice 1"), "program");
    refused(run_toft("verify '" + path + "' --cpu 0.001 --advice 1 -- '" TOFT_VERIFY_STATIC "'"),
            "static");
    CHECK(run_toft("verify '" + scratch("none") + "' --advice 1" + run_it).status == 1);
}

// A file that gets its room only where it is written to would end toft with a signal there.
TEST_CASE("a full folder for temporary files is told, and has no file of the run afterwards") {
    const std::string folder = scratch("full");
    std::filesystem::create_directory(folder);
    const std::string in_small_folder =
        "unshare -rm sh -c 'mount -t tmpfs -o size=4k none \"$0\" && ";
    if (run_shell(in_small_folder + "true' '" + folder + "'").status != 0) {
        MESSAGE("left out: this user can't mount a small folder");
        return;
    }
    const run_result run = run_shell(
        in_small_folder + "{ TMPDIR=\"$0\" \"$@\"; status=$?; ls \"$0\"; exit $status; }' '" +
        folder + "' '" TOFT_COMMAND "' verify '" + recording_of("read") +
        "' --cpu 0.001 --advice 1 -- " + target + " read 0");
    CAPTURE(run.err);
    CHECK(run.status == 1);
    CHECK(contains(unwrapped(run.err), "can't fill the file " + folder));
    CHECK(run.out.empty());
}

TEST_CASE("a program that was built anew is recognised") {
    namespace fs = std::filesystem;
    const fs::path program = scratch("verified program"), former = TOFT_VERIFY_TARGET;
    fs::copy_file(former, program);
    const std::string path = scratch("verify-copy");
    const std::string words = " -- '" + program.string() + "' read 0";
    REQUIRE(run_toft("record -o '" + path + "'" + words).status == 0);
    REQUIRE(run_toft("verify '" + path + "' --cpu 0.001 --advice 1" + words).status == 0);
    fs::copy_file(TOFT_COMMAND, program, fs::copy_options::overwrite_existing);
    const run_result refused = run_toft("verify '" + path + "' --cpu 0.001 --advice 1" + words);
    CHECK(refused.status == 2);
    CHECK(contains(unwrapped(refused.err), "is another build than the recorded one"));
}
