// SPDX-License-Identifier: MIT
// `toft try` as a user meets it.
#include "command.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

namespace {

const std::string quickly =
    "try --max-time 1 --allocators glibc --preload 'mine=" TOFT_BUMP_MALLOC "' ";
const std::string try_target = " -- '" TOFT_TRY_TARGET "' ";

void refuses(const std::string &program, const std::string &why) {
    CAPTURE(program);
    const run_result r = run_toft("try --max-time 1 -- " + program);
    CHECK(r.status == 2);
    CHECK(r.out.empty());
    CAPTURE(r.err);
    CHECK(contains(r.err, why));
}

// Below the ports that the system gives to whoever connects.
std::string port_of(int test) { return std::to_string(20'000 + (getpid() * 4 + test) % 10'000); }

// A server, whose client connects so many times.
run_result try_server(const std::string &way, const std::string &port, int connections,
                      const std::string &json) {
    const std::string client =
        "python3 -c \"import socket; [socket.create_connection((\\\"127.0.0.1\\\", " + port +
        ")).recv(1) for i in range(" + std::to_string(connections) + ")]\"";
    return run_toft(quickly + "--timeout 20 --ready " + port + " --until '" + client + "' --json " +
                    json + try_target + way + " " + port);
}

} // namespace

TEST_CASE("toft try: the table, the verdict and the file of a program that works") {
    const std::string json = scratch("try.json");
    const run_result r = run_toft(quickly + "--json " + json + try_target + "work");
    CAPTURE(r.out);
    CAPTURE(r.err);
    CHECK(r.status == 0);
    for (const char *part : {"wall", "CPU", "peak", "average", "faults", "switches", "÷first"})
        CHECK_MESSAGE(contains(unwrapped(r.out), part), part);
    // Which of its verdicts it gives is for the machine's noise to say.
    CHECK((contains(r.out, "\nLink mine: ") || contains(r.out, "\nStay with glibc: ") ||
           contains(r.out, "\nToo noisy")));
    const auto result = nlohmann::json::parse(contents_of(json));
    const auto &rows = result["suites"][0]["rows"];
    REQUIRE(rows.size() == 2);
    for (const auto &row : rows) {
        CHECK(row["samples"].size() >= 3);
        CHECK(row["samples"].size() == rows[0]["samples"].size());
        for (const auto &sample : row["samples"]) {
            CHECK(sample["phases"][0]["wall_ns"] > 0);
            CHECK(sample["phases"][0]["cpu_ns"] > 0);
            CHECK(sample["minor_faults"] > 0);
            CHECK(sample["figures"].contains("context switches, voluntary"));
        }
    }
    // Every run is looked at when it begins, so that its memory over time isn't empty.
    for (const auto &sample : rows[1]["samples"]) CHECK(sample["resident"].size() > 0);
    const run_result compared =
        run_toft(quickly + "--compare " + json + " --bound 900" + try_target + "work");
    CHECK(contains(compared.out, "Compared"));
}

TEST_CASE("toft try: the peak of a program that has it for a moment only is seen, in every run") {
    constexpr std::uint64_t taken_bytes = 100'000'000;
    const auto check = [&](const std::string &program) {
        const std::string json = scratch("burst.json");
        REQUIRE(run_toft("try --max-time 1 --allocators glibc --json " + json + program).status ==
                0);
        const auto rows = nlohmann::json::parse(contents_of(json))["suites"][0]["rows"];
        for (const auto &sample : rows[0]["samples"]) {
            const auto peak_bytes = sample["peak_bytes"].get<std::uint64_t>();
            CHECK(peak_bytes >= taken_bytes);
            CHECK(peak_bytes < taken_bytes + taken_bytes / 2);
        }
    };
    check(try_target + "burst");
    check(" -- sh -c \"'" TOFT_TRY_TARGET "' burst; true\""); // a child of the program has it
}

TEST_CASE("toft try: a small program isn't said to have the memory of the lab that starts it") {
    const std::string json = scratch("small.json");
    REQUIRE(run_toft("try --max-time 1 --allocators glibc --json " + json + try_target + "work")
                .status == 0);
    const auto rows = nlohmann::json::parse(contents_of(json))["suites"][0]["rows"];
    for (const auto &sample : rows[0]["samples"])
        CHECK(sample["peak_bytes"].get<std::uint64_t>() < 5 << 20);
}

TEST_CASE("toft try: the peak of a small program that has it for a moment only is seen, too") {
    // Less than the lab itself has, and much beside the pages that the kernel counts later on: some
    // hundred KiB.
    constexpr std::uint64_t taken_bytes = 6 << 20;
    const auto lowest_peak_of = [](const std::string &way) {
        const std::string json = scratch("small-burst.json");
        REQUIRE(run_toft("try --max-time 1 --allocators glibc --json " + json + try_target + way)
                    .status == 0);
        const auto rows = nlohmann::json::parse(contents_of(json))["suites"][0]["rows"];
        std::uint64_t lowest = UINT64_MAX;
        for (const auto &sample : rows[0]["samples"])
            lowest = std::min(lowest, sample["peak_bytes"].get<std::uint64_t>());
        return lowest;
    };
    const std::uint64_t without = lowest_peak_of("say nothing");
    CHECK(lowest_peak_of("small-burst") >= without + taken_bytes - taken_bytes / 8);
}

TEST_CASE("toft try: what a killed lab was measuring is killed too, with all that it started") {
    const std::string pipe = scratch("killed.pipe");
    // The processes hold the pipe open: it ends when the last of them is gone.
    const run_result r = run_shell(
        "mkfifo " + pipe +
        "; '" TOFT_COMMAND "' try --allocators glibc -- sh -c 'sleep 600 & echo " +
        "begun >&8; wait' 8>" + pipe + " & exec 9<" + pipe +
        "; read line <&9; kill -9 $!; timeout 60 cat <&9 >/dev/null || echo 'something is left'");
    CAPTURE(r.err);
    CHECK_FALSE(contains(r.out, "something is left"));
}

TEST_CASE("toft try: what can't be tried is said before anything runs, and what to do") {
    refuses("no-such-program", "no program is named 'no-such-program'");
    refuses("/no/such/program", "there is no file /no/such/program");
    refuses("/tmp", "is a folder");
    const std::string plain = scratch("plain.txt");
    write_to(plain, "just text\n");
    refuses(plain, "isn't executable: chmod +x");
    chmod(plain.c_str(), 0755);
    refuses(plain, "neither a program nor a script");
    const std::string privileged = scratch("privileged");
    std::filesystem::copy_file(TOFT_TRY_TARGET, privileged);
    chmod(privileged.c_str(), 04755);
    refuses(privileged, "setuid");
    refuses("'" TOFT_TRY_TARGET_STATIC "' work", "linked statically");
    refuses("'" TOFT_TRY_TARGET_MUSL "' work", "is built for musl");
    refuses("'" TOFT_TRY_TARGET_OWN_MALLOC "' work", "brings its own malloc");
    refuses("'" TOFT_TRY_TARGET "' fail",
            "fails by itself, under its own malloc: exited with status 3: not today. Make it "
            "succeed first; where its status is no failure, name it: --status N");
    const std::string go = scratch("go-program"); // its section alone tells
    const run_result made = run_shell("touch " + scratch("empty") +
                                      " && objcopy --add-section "
                                      ".go.buildinfo=/etc/hostname '" TOFT_TRY_TARGET "' " +
                                      go);
    if (made.status == 0) refuses(go, "is a Go program");
}

TEST_CASE("toft try --status: what the program exits with when nothing is wrong") {
    const run_result r = run_toft(quickly + "--status 3" + try_target + "fail");
    CAPTURE(r.err);
    CHECK(r.status == 0);
    const run_result other = run_toft(quickly + "--status 3" + try_target + "work");
    CHECK(other.status == 2);
    CHECK(contains(other.err, "fails by itself, under its own malloc: exited with status 0"));
}

TEST_CASE("toft try: a script is tried with what its first line names") {
    const std::string script = scratch("script.sh");
    write_to(script, "#!/usr/bin/env sh\nexit 0\n");
    chmod(script.c_str(), 0755);
    CHECK(run_toft(quickly + "-- " + script).status == 0);
}

TEST_CASE("toft try: a crash under one malloc is named, and the others go on") {
    const run_result r = run_toft(quickly + try_target + "crash-under bump");
    CAPTURE(r.out);
    CHECK(r.status == 1);
    CHECK(contains(unwrapped(r.out), "Failed: mine: crashed with signal 6"));
    CHECK(contains(unwrapped(r.out), "Stay with glibc: no other malloc worked."));
}

TEST_CASE("toft try --same-output: other bytes are a failure, the same are none") {
    CHECK(run_toft(quickly + "--same-output" + try_target + "say hello").status == 0);
    const run_result r = run_toft(quickly + "--same-output" + try_target + "differ");
    CHECK(r.status == 1);
    CHECK(contains(unwrapped(r.out), "its output differs"));
    const std::string row = r.out.substr(r.out.find("\nmine ") + 1);
    CHECK(contains(row.substr(0, row.find('\n')), "failed"));
    CHECK_FALSE(contains(row.substr(0, row.find('\n')), "*"));
    CHECK(run_toft(quickly + try_target + "differ").status == 0);
}

TEST_CASE("toft try --side-by-side: each other malloc beside the first one, by CPU time") {
    const std::string json = scratch("side-by-side.json");
    const run_result r =
        run_toft(quickly + "--side-by-side --same-output --json " + json + try_target + "work");
    CAPTURE(r.out);
    CAPTURE(r.err);
    CHECK(r.status == 0);
    CHECK(contains(unwrapped(r.out), "at the same time as the first one and on one processor"));
    const auto result = nlohmann::json::parse(contents_of(json));
    const auto &rows = result["suites"][0]["rows"];
    REQUIRE(rows.size() == 2);
    REQUIRE(rows[0]["samples"].size() == rows[1]["samples"].size());
    for (std::size_t i = 0; i != rows[0]["samples"].size(); ++i) {
        const auto &first = rows[0]["samples"][i];
        const auto first_ns = first["phases"][0]["cpu_ns"].get<double>();
        for (const auto &sample : {first, rows[1]["samples"][i]})
            CHECK(sample["figures"]["CPU time of the first row at the same time, ns"] == first_ns);
    }
    const run_result crash = run_toft(quickly + "--side-by-side" + try_target + "crash-under bump");
    CHECK(crash.status == 1);
    CHECK(contains(unwrapped(crash.out), "Failed: mine: crashed with signal 6"));
    const run_result alone =
        run_toft("try --side-by-side --max-time 1 --allocators glibc" + try_target + "work");
    CHECK(contains(unwrapped(alone.out), "glibc is the only malloc here"));
    const run_result server =
        run_toft(quickly + "--side-by-side --until true" + try_target + "serve 1");
    CHECK(server.status == 2);
    CHECK(contains(server.err, "--until excludes --side-by-side"));
}

TEST_CASE("toft try: a line of the shell, and all that it starts") {
    const run_result r =
        run_toft(quickly + "-- sh -c \"'" TOFT_TRY_TARGET "' work; '" TOFT_TRY_TARGET "' work\"");
    CAPTURE(r.err);
    CHECK(r.status == 0);
}

TEST_CASE("toft try: a server is measured while its client runs, and then ended") {
    const std::string port = port_of(0);
    const std::string json = scratch("server.json");
    const run_result r = try_server("serve", port, 5, json);
    CAPTURE(r.out);
    CAPTURE(r.err);
    CHECK(r.status == 0);
    const bool is_by_cpu_time = contains(unwrapped(r.out), "CPU time");
    CHECK((is_by_cpu_time || contains(r.out, "Too noisy"))); // as where others keep the CPUs busy
    const auto result = nlohmann::json::parse(contents_of(json));
    for (const auto &sample : result["suites"][0]["rows"][0]["samples"])
        CHECK(sample["phases"][0]["cpu_ns"] > 0);
    const run_result failing =
        run_toft(quickly + "--ready " + port + " --until 'exit 7'" + try_target + "serve " + port);
    CHECK(failing.status == 2);
    CHECK(contains(failing.err, "the client exited with status 7"));
    const run_result gone =
        run_toft(quickly + "--ready " + port + " --until true" + try_target + "work");
    CHECK(gone.status == 2);
    CHECK(contains(gone.err, "ended before port"));
}

TEST_CASE("toft try: of a server that works in processes of its own, their CPU time counts") {
    int test = 1;
    for (const std::string how : {"serve-in-child", "serve-by-forks"}) {
        CAPTURE(how);
        const std::string port = port_of(test++);
        const std::string json = scratch("children.json");
        const run_result r = try_server(how, port, 9, json);
        CAPTURE(r.out);
        CAPTURE(r.err);
        CHECK(r.status == 0);
        CHECK_FALSE(contains(r.out, "nan"));
        const auto result = nlohmann::json::parse(contents_of(json));
        for (const auto &row : result["suites"][0]["rows"])
            for (const auto &sample : row["samples"])
                CHECK(sample["phases"][0]["cpu_ns"] > 1'000'000);
    }
}

TEST_CASE("toft try: a server that says much on standard error isn't held up") {
    const run_result r = try_server("serve-loudly", port_of(3), 3, scratch("loud.json"));
    CAPTURE(r.err);
    CHECK(r.status == 0);
    CHECK_FALSE(contains(r.err + r.out, "hung"));
}

TEST_CASE("toft try: other users can't read the environment among the words of a process") {
    const std::string words = scratch("words"), environment = scratch("environment");
    setenv("TOFT_PLANTED", "a secret", 1);
    const run_result r = run_toft(quickly + "-- sh -c 'cat /proc/[0-9]*/cmdline >" + words +
                                  " 2>/dev/null; env >" + environment + "'");
    unsetenv("TOFT_PLANTED");
    CAPTURE(r.err);
    CHECK(r.status == 0);
    CHECK_FALSE(contains(contents_of(words), "a secret"));
    CHECK(contains(contents_of(environment), "\nTOFT_PLANTED=a secret\n"));
    CHECK_FALSE(contains(contents_of(environment), "\n_TOFT_PLANTED="));
}
