// SPDX-License-Identifier: MIT
// What a shell, a parent or a file may hand to the command that it doesn't expect.
#include "command.hpp"
#include "run/listening.hpp"
#include "run/temporary_folder.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <utility>

namespace {

using namespace toft::lab;

const std::string toft_try = "'" TOFT_COMMAND "' try --max-time 1 --allocators glibc ";

// Runs the command as a parent does that ignores the end of its children.
run_result run_unwaited(const std::string &arguments) {
    return run_shell("python3 -c 'import os, signal, sys\n"
                     "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
                     "os.execv(sys.argv[1], sys.argv[1:])' '" TOFT_COMMAND "' " +
                     arguments);
}

std::string with_a_blank(const std::string &library) {
    const std::string path = scratch("a malloc.so");
    std::filesystem::copy_file(library, path, std::filesystem::copy_options::overwrite_existing);
    return path;
}

} // namespace

TEST_CASE("arguments and words of a program that aren't UTF-8 lose no result file") {
    const std::string json = scratch("latin-1.json"), html = scratch("latin-1.html");
    const std::string results = "--json " + json + " --html " + html;
    const run_result r = run_shell(toft_try + results + " -- sh -c \"$(printf ': caf\\351')\"");
    CAPTURE(r.err);
    CHECK((r.status == 0 || contains(r.err, "built without the report")));
    if (r.status != 0) return;
    const auto result = nlohmann::json::parse(contents_of(json));
    CHECK(result["suites"][0]["summary"] == "sh -c : caf\ufffd");
    CHECK(contains(contents_of(html), "caf\ufffd"));
    CHECK(run_toft("compare " + json + " " + json).status == 0);
}

TEST_CASE("a standard error that can't be written changes nothing else") {
    for (const char *nowhere : {"2>&-", "2>/dev/full"}) {
        CAPTURE(nowhere);
        const auto status_of = [&](const std::string &arguments) {
            return run_shell(arguments + " " + nowhere).status;
        };
        const std::string json = scratch("silent.json");
        CHECK(status_of(toft_try + "--json " + json + " -- true") == 0);
        CHECK(nlohmann::json::parse(contents_of(json)).is_object()); // and no words between
        CHECK(status_of("'" TOFT_COMMAND "' advise no-such-file") == 1);
        CHECK(status_of("'" TOFT_COMMAND "' bench no-such-suite") == 2);
    }
}

TEST_CASE("a standard error that nobody reads any more stops nothing, and leaves no draft") {
    const std::string folder = scratch("unread"), json = folder + "/o.json";
    std::filesystem::create_directory(folder);
    run_shell("{ " + toft_try + "--json " + json + " -- true 2>&1 >/dev/null; echo $? > " + folder +
              "/status; } | :");
    CHECK(contents_of(folder + "/status") == "0\n");
    CHECK(nlohmann::json::parse(contents_of(json)).is_object());
    std::filesystem::remove(json);
    const run_result unread = run_shell("{ " + toft_try + "--json " + json +
                                        " -- true; echo $? > " + folder + "/status; } | :");
    CHECK(contents_of(folder + "/status") == "141\n"); // as others end that nobody reads
    CHECK_FALSE(contains(unread.err, "can't print"));
    CHECK(nlohmann::json::parse(contents_of(json)).is_object());
    for (const auto &entry : std::filesystem::directory_iterator(folder))
        CHECK_FALSE(contains(entry.path().string(), ".part"));
}

TEST_CASE("a parent that ignores the end of its children doesn't hide how they end") {
    const run_result r = run_unwaited("try --max-time 1 --allocators glibc -- true");
    CAPTURE(r.err);
    CHECK(r.status == 0);
}

TEST_CASE("two outputs of one name, and an output in an input's place, are refused") {
    const std::string file = scratch("own.json");
    REQUIRE(run_shell(toft_try + "--json " + file + " -- true").status == 0);
    const std::string before = contents_of(file);
    const std::string link = scratch("own-link");
    run_shell("ln -s " + file + " " + link);
    const auto refuses = [&](const std::string &arguments, const std::string &why) {
        const run_result r = run_toft(arguments);
        CAPTURE(arguments);
        CAPTURE(r.err);
        CHECK(r.status == 2);
        CHECK(contains(r.err, why));
        CHECK(contents_of(file) == before);
    };
    const std::string both = "both name";
    refuses("advise " + file + " --json x.json --html ./x.json", both);
    refuses("export " + file + " --pprof x.gz --firefox x.gz", both);
    refuses("advise " + file + " --json " + link, "--json names");
    refuses("export " + file + " --firefox " + file, "which is read");
    const run_result page = run_toft("report " + file + " " + link);
    CHECK(page.status == 2);
    CHECK(contents_of(file) == before);
}

TEST_CASE("a file that is no result file is named, whatever is wrong with it") {
    const std::string file = scratch("odd.json");
    const std::pair<const char *, const char *> odd[] = {
        {"{\"schema\": 5}", " is no result file"},
        {"{\"schema\": \"toft-bench\", \"schema_version\": \"5\"}", " has version \"5\""},
        {"{\"schema\": \"toft-bench\", \"schema_version\": [5]}", " has version [5]"},
        {"{\"schema\": \"toft-bench\"}", " has version null"}};
    for (const auto &[contents, said] : odd) {
        write_to(file, contents);
        const run_result r = run_toft("compare " + file + " " + file);
        CAPTURE(r.err);
        CHECK(r.status == 1);
        CHECK(contains(r.err, file + said));
    }
    write_to(file, "{\"schema\": \"toft-bench\", ");
    CHECK(contains(run_toft("compare " + file + " " + file).err, "parse error at line 1"));
    const std::string folder = scratch(".");
    CHECK(contains(run_toft("compare " + folder + " " + folder).err, "can't read " + folder));
    CHECK(contains(run_toft("advise " + folder).err, "can't read " + folder));
}

TEST_CASE("toft try: an LD_PRELOAD of the user's is said to be left out") {
    const std::string sanitizer = "ASAN_OPTIONS=verify_asan_link_order=0 "; // it wants to be first
    const run_result r = run_shell(sanitizer + "LD_PRELOAD=libm.so.6 " + toft_try + " -- true");
    CHECK(r.status == 0);
    CHECK(contains(unwrapped(r.out), "LD_PRELOAD=libm.so.6 was left out"));
}

TEST_CASE("progress shows no total that nobody knows") {
    const run_result r = run_shell(toft_try + " -- true");
    CHECK(contains(r.err, "[1] true, round 1"));
}

TEST_CASE("what a program leaves behind is gone when the next one starts") {
    for (int i = 0; i != 20; ++i) {
        pid_t group = 0;
        {
            started_process server({"sh", "-c", "sleep 100 & sleep 100 & exit 0"}, {}, false);
            group = server.id();
            server.wait();
            CHECK(kill(-group, 0) == 0);
        }
        const bool is_there = kill(-group, 0) == 0;
        CHECK_FALSE(is_there);
    }
}

// Who waits gives the processor up of itself, again and again, and needs little of it between. Who
// asks in a loop doesn't, however small a share of a busy machine that loop gets.
TEST_CASE("listening to a program takes no processor from it") {
    const auto check_waits = [](const char *script, bool keeps_output) {
        CAPTURE(script);
        started_process program({"sh", "-c", script}, {}, keeps_output);
        rusage before{}, after{};
        getrusage(RUSAGE_THREAD, &before);
        while (program.listen(std::chrono::milliseconds(1000))) {}
        getrusage(RUSAGE_THREAD, &after);
        CHECK(program.wait().trouble.empty());
        const auto cpu_us = [](const rusage &used) {
            return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1'000'000 +
                   used.ru_utime.tv_usec + used.ru_stime.tv_usec;
        };
        CHECK(cpu_us(after) - cpu_us(before) < 500 * (after.ru_nvcsw - before.ru_nvcsw));
    };
    check_waits("exec sleep .3", false); // nobody can write to its output
    check_waits("exec sleep .3 >&- 2>&-", true);
}

TEST_CASE("without a folder for temporary files, toft says what names one") {
    const run_result r =
        run_shell("TMPDIR=/no/such/folder '" TOFT_COMMAND "' try --max-time 1 --preload 'm=" +
                  with_a_blank(TOFT_BUMP_MALLOC) + "' -- true");
    CHECK(r.status == 1);
    CHECK(contains(r.err, "TMPDIR must name a folder for temporary files, not /no/such/folder"));
    const run_result other = run_shell("env -u TMPDIR TMP=/no/tmp TEMPDIR=/no/temp '" TOFT_COMMAND
                                       "' try --max-time 1 --preload 'm=" +
                                       with_a_blank(TOFT_BUMP_MALLOC) + "' -- true");
    CHECK(contains(other.err, "TMP must name a folder for temporary files, not /no/tmp"));
}
