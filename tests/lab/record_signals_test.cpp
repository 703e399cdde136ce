// SPDX-License-Identifier: MIT
// `toft record` of programs that signals end: nothing is lost, the program ends as it does alone,
// and sees nothing of it.
#include "recorded_run.hpp"

#include <csignal>
#include <doctest/doctest.h>
#include <map>
#include <vector>

using namespace toft::lab;

namespace {

recorded signals(const std::string &what) { return record_program(TOFT_RECORD_SIGNALS, what); }

// A run that this signal ended, of which 100 objects of 4,901 bytes are known.
read_back ended_by(int signal, const std::string &what) {
    CAPTURE(what);
    const recorded made = signals(what);
    CAPTURE(made.run.err);
    CHECK(made.run.status == 128 + signal);
    CHECK_FALSE(contains(made.run.err, "missing"));
    read_back r = read_all(made.path);
    CHECK(r.what.incomplete.empty());
    CHECK(of_size(r, 4901).size() == 100);
    return r;
}

} // namespace

TEST_CASE("toft record: a process that ends by a signal to itself loses nothing, of no thread") {
    for (const std::string how :
         {"raise", "kill", "sigqueue", "pthread_kill", "tgkill", "bare", "group", "one-time"})
        CHECK(of_size(ended_by(SIGTERM, "to-itself " + how), 4902).size() == 50);
}

TEST_CASE("toft record: a crash loses nothing") {
    const std::map<std::string, int> crashes = {
        {"null", SIGSEGV}, {"trap", SIGILL}, {"broken-heap", SIGABRT}};
    for (const auto &[how, signal] : crashes) ended_by(signal, "crash " + how);
}

TEST_CASE("toft record: of two threads that abort at once, the second waits for the first") {
    ended_by(SIGABRT, "two-aborts");
}

TEST_CASE("toft record: a debugger finds a crash where it was") {
    const recorded made = signals("debugger");
    if (made.run.status == 77) {
        MESSAGE("left out: no process may be traced here");
        return;
    }
    CHECK(made.run.status == 0);
}

TEST_CASE("toft record: a process that another one's signal ends loses nothing") {
    for (const int signal :
         {SIGHUP, SIGINT, SIGQUIT, SIGUSR1, SIGPIPE, SIGALRM, SIGTERM, SIGPROF, SIGRTMAX})
        ended_by(signal, "from-other " + std::to_string(signal));
    const std::string term = std::to_string(SIGTERM);
    ended_by(SIGTERM, "from-other " + term + " default-again");
    ended_by(SIGTERM, "from-other " + term + " default-in-place");
    ended_by(SIGTERM, "from-other " + term + " one-time");
    ended_by(SIGTERM, "from-other " + term + " handler");
    CHECK(of_size(ended_by(SIGTERM, "small-stack"), 4902).size() == 50);
    CHECK(of_size(ended_by(SIGTERM, "by-thread"), 4902).size() == 50);
}

TEST_CASE("toft record: of a signal with room on the thread's stack, none is needed on another") {
    if (signals("beside-small-stack").run.status == 77) {
        MESSAGE("left out: the processor has more registers than such a stack holds");
        return;
    }
    ended_by(SIGTERM, "beside-small-stack");
}

// Which are refused: sigaction, and to send by queue, thread or process.
TEST_CASE("toft record: a signal ends also a process under a filter of system calls") {
    if (signals("refused q").run.status == 77) {
        MESSAGE("left out: no filter may be set here");
        return;
    }
    for (const std::string calls : {"a", "q", "qt", "qtk"}) ended_by(SIGTERM, "refused " + calls);
}

TEST_CASE("toft record: of threads that a signal ends in the middle of their work, all is known") {
    const recorded made = signals("busy-threads");
    CHECK(made.run.status == 128 + SIGTERM);
    const read_back r = read_all(made.path);
    CHECK(r.what.incomplete.empty());
    CHECK(of_size(r, 4901).size() == 1000);
    std::map<std::uint32_t, std::uint64_t> last;
    std::size_t gaps = 0;
    for (const heap_event &e : r.events) {
        if (e.call == heap_call::free || e.bytes < 10'000'000) continue;
        const auto [known, added] = last.try_emplace(e.thread, e.bytes);
        gaps += added ? e.bytes % 10'000'000 != 0 : e.bytes != known->second + 1;
        known->second = e.bytes;
    }
    CHECK(last.size() <= 4);
    CHECK(gaps == 0);
}

TEST_CASE("toft record: a signal that a process survives ends no recording") {
    const recorded made = signals("harmless");
    CAPTURE(made.run.err);
    CHECK(made.run.status == 0);
    const read_back r = read_all(made.path);
    for (const std::uint64_t bytes : {4911, 4912, 4913, 4914})
        CHECK(of_size(r, bytes).size() == 10);
    CHECK(r.what.incomplete.empty());
}

TEST_CASE("toft record: no signal interrupts a container's first process") {
    const int status = signals("first").run.status;
    if (status == 77) {
        MESSAGE("left out: no namespace may be made here");
        return;
    }
    CHECK(status == 0);
}

// As a collector does that stops all threads.
TEST_CASE("toft record: who sends signals doesn't wait for the loader") {
    CHECK(signals("loading '" TOFT_RECORD_LIBRARY_A "'").run.status == 0);
}

TEST_CASE("toft record: the program sees no handler but its own, and another program has none") {
    CHECK(signals("looks").run.status == 0);
    CHECK(signals("words").run.status == 0);
    const std::string path = scratch("ignored");
    const run_result nohup = run_shell("trap '' TERM; '" TOFT_COMMAND "' record -o '" + path +
                                       "' -- sh -c 'kill $$; exit 9'");
    CHECK(nohup.status == 9);
}
