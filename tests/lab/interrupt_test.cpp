// SPDX-License-Identifier: MIT
// What reads a recording for long ends when it is asked to, and leaves nothing behind.
#include "advice/advice.hpp"
#include "export/export.hpp"
#include "recorded_run.hpp"
#include "run/interrupt.hpp"
#include "run/pipes.hpp"

#include <csignal>
#include <cstdint>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sched.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

using namespace toft::lab;

namespace {

constexpr int ended = 42, failed = 43;

// In a process of its own, which has been asked to stop ever after.
int status_of(const std::function<int()> &work) {
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL); // as by a shell
        try {
            catch_interrupts();
            _exit(work());
        } catch (const interruption &) {
            _exit(ended);
        } catch (...) {
            _exit(failed);
        }
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

std::string many_events() {
    const recorded made = record("many");
    REQUIRE(made.run.status == 0);
    return made.path;
}

// The value of a line of /proc/PROCESS/status.
std::string told_by_system(pid_t process, const std::string &name) {
    std::ifstream file("/proc/" + std::to_string(process) + "/status");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(name + ":"))
            return line.substr(line.find_first_not_of(":\t ", name.size()));
    return {};
}

// It has nothing to wait for but what it reads.
void wait_until_asleep(pid_t process) {
    while (!told_by_system(process, "State").starts_with("S")) sched_yield();
}

// The handler is gone once it was called.
void wait_until_handled(pid_t process, int signal) {
    const std::uint64_t bit = std::uint64_t{1} << (signal - 1);
    while ((std::stoull(told_by_system(process, "SigCgt"), nullptr, 16) & bit) != 0) sched_yield();
}

std::size_t drafts_in(const std::string &folder) {
    std::size_t drafts = 0;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(folder))
        drafts += contains(entry.path().string(), ".part");
    return drafts;
}

} // namespace

TEST_CASE("a pass over a recording ends with the batch in which the lab is asked to stop") {
    const recording r = read_recording(many_events());
    std::size_t all = 0;
    r.for_each([&](std::span<const heap_event> events) { all += events.size(); });
    CHECK(status_of([&] {
              std::size_t batches = 0, later = 0;
              try {
                  r.for_each([&](std::span<const heap_event>) {
                      if (++batches == 1) std::raise(SIGTERM);
                  });
              } catch (const interruption &) { // what is left to do then isn't stopped
                  r.for_each([&](std::span<const heap_event> events) { later += events.size(); });
                  return batches == 1 && later == all ? ended : failed;
              }
              return 0;
          }) == ended);
}

TEST_CASE("a signal that was to be ignored, as nohup asks for, doesn't stop the lab") {
    CHECK(status_of([] {
              std::signal(SIGHUP, SIG_IGN);
              catch_interrupts();
              std::raise(SIGHUP);
              return interrupted() ? failed : ended;
          }) == ended);
}

TEST_CASE("what is being read or written goes on when the lab is asked to stop") {
    CHECK(status_of([] {
              catch_interrupts();
              pipe_pair ends;
              const pid_t lab = getpid(), other = fork();
              if (other == 0) {
                  wait_until_asleep(lab);
                  kill(lab, SIGINT);
                  wait_until_handled(lab, SIGINT);
                  wait_until_asleep(lab);
                  _exit(write(ends.write_end, "x", 1) == 1 ? 0 : 1);
              }
              char byte = 0;
              const bool has_read = read(ends.read_end, &byte, 1) == 1;
              int status = -1;
              waitpid(other, &status, 0);
              return has_read && status == 0 && interrupted() ? ended : failed;
          }) == ended);
}

TEST_CASE("advice and exports end when the lab is asked to stop, without a draft of a file") {
    const std::string path = many_events(), folder = scratch("stopped");
    std::filesystem::create_directory(folder);
    const std::vector<recording> read{read_recording(path)};
    CHECK(status_of([&] {
              std::raise(SIGINT);
              (void)advise(read, read_symbols());
              return 0;
          }) == ended);
    const export_request asked{{path}, folder + "/o.gz", folder + "/o.json", folder + "/tables"};
    CHECK(status_of([&] {
              std::raise(SIGINT);
              (void)export_recordings(asked, read_symbols().places);
              return 0;
          }) == ended);
    CHECK(drafts_in(folder) == 0);
    CHECK_FALSE(std::filesystem::exists(asked.pprof_path));
}

TEST_CASE("toft advise, toft export: SIGTERM ends them, and takes the drafts of files away") {
    const recorded made = record("pairs 100");
    REQUIRE(made.run.status == 0);
    const std::string folder = scratch("terminated"), to = folder + "/o.json";
    std::filesystem::create_directory(folder);
    for (const std::string words : {"advise --no-replay --json ", "export --firefox "}) {
        CAPTURE(words);
        const run_result r = run_shell("'" TOFT_COMMAND "' " + words + to + " '" + made.path +
                                       "' >/dev/null & until ls " + to +
                                       "* >/dev/null 2>&1; do kill -0 $! || break; done; "
                                       "kill -TERM $!; wait $!");
        CAPTURE(r.err);
        const bool was_in_time = r.status == 130;
        CHECK((was_in_time || std::filesystem::exists(to))); // or else it has ended before that
        CHECK(drafts_in(folder) == 0);
        std::filesystem::remove(to);
    }
}

// The program asks the lab to stop in one of its runs under a malloc. Two may take place at once:
// the one that makes the folder asks.
TEST_CASE("toft advise: who interrupts it is told that the advice rests on a part of the work") {
    const recorded made = record("known");
    REQUIRE(made.run.status == 0);
    const std::string runs = scratch("runs"), number = scratch("number"), program = scratch("asks");
    write_to(program, "#!/bin/sh\necho >>" + runs + "\n[ $(wc -l <" + runs +
                          ") -lt 8 ] || ! mkdir " + scratch("asked") +
                          " 2>/dev/null || kill -TERM $(cat " + number + ")\n");
    const run_result r =
        run_shell("chmod +x " + program + "; sh -c 'echo $$ >" + number +
                  "; exec " TOFT_COMMAND " advise " + made.path + " -- " + program + "'");
    CAPTURE(r.out);
    CHECK(r.status == 130);
    CHECK(contains(r.out, "The program was run for its CPU time"));
    CHECK(contains(r.err, "toft: interrupted: what is told rests on what was measured"));
}
