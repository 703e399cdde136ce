// SPDX-License-Identifier: MIT
#include "target.hpp"

#include "cpu_time.hpp"
#include "interrupt.hpp"
#include "listening.hpp"
#include "process_tree.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace toft::lab {
namespace {

using clock = std::chrono::steady_clock;

double seconds_since(clock::time_point begin) {
    return std::chrono::duration<double>(clock::now() - begin).count();
}

sockaddr_in loopback(in_addr_t address, std::uint16_t port) {
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(port);
    at.sin_addr.s_addr = htonl(address);
    return at;
}

// Whether somebody listens on that port of the loopback device. It asks from 127.0.0.2: the system
// chooses a port of its own for whoever connects, and where that is this very port, a connection
// from 127.0.0.1 reaches itself.
bool is_reachable(std::uint16_t port) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return false;
    const sockaddr_in from = loopback(INADDR_LOOPBACK + 1, 0), to = loopback(INADDR_LOOPBACK, port);
    bind(fd, reinterpret_cast<const sockaddr *>(&from), sizeof from);
    const bool reached = connect(fd, reinterpret_cast<const sockaddr *>(&to), sizeof to) == 0;
    close(fd);
    return reached;
}

// One run, step by step.
class target_runner {
  public:
    target_runner(const target &of, const surroundings &with)
        : of_(of),
          program_(of.words, with, of.keep_output && of.client.empty()),
          watch_(program_.id()) {}

    target_run run() {
        if (of_.client.empty())
            run_to_its_end();
        else
            serve();
        result_.interrupted = interrupted();
        return std::move(result_);
    }

  private:
    void run_to_its_end() {
        watch_.look();
        while (program_.listen(watch_.pause())) {
            watch_.look();
            if (!may_go_on()) return stop("hung");
        }
        const ended_process end = program_.wait(of_.usual_status);
        const std::uint64_t wall_ns = static_cast<std::uint64_t>(seconds_since(begin_) * 1e9);
        note(end.usage, {.wall_ns = wall_ns, .cpu_ns = cpu_ns_of(end.usage)});
        result_.measured.failure = end.trouble;
        if (of_.keep_output) result_.output_digest = program_.digest();
    }

    void serve() {
        while (of_.port && !is_reachable(*of_.port)) {
            if (!program_.listen(std::chrono::milliseconds(5)))
                return fail_with(fmt::format("the program ended before port {} could be reached{}",
                                             *of_.port, words_of(program_.wait())));
            if (!may_go_on()) return stop(fmt::format("port {} couldn't be reached", *of_.port));
        }
        const std::uint64_t cpu_before_ns = cpu_ns_of_tree(program_.id());
        started_process client({"/bin/sh", "-c", of_.client}, {}, of_.keep_output);
        while (client.listen(watch_.pause(), &program_)) {
            watch_.look();
            if (!may_go_on()) {
                client.kill_all();
                return stop("the client hung");
            }
        }
        const ended_process client_end = client.wait();
        const std::uint64_t cpu_after_ns = cpu_ns_of_tree(program_.id());
        cost spent{.wall_ns = static_cast<std::uint64_t>(seconds_since(client.begun()) * 1e9),
                   .cpu_ns = std::max(cpu_after_ns, cpu_before_ns) - cpu_before_ns};
        if (of_.keep_output) result_.output_digest = client.digest();
        end_server(spent);
        if (!client_end.trouble.empty()) return fail_with("the client " + client_end.trouble);
        if (spent.cpu_ns == 0 && result_.measured.failure.empty())
            fail_with("neither the program nor what it started used CPU time while the client ran");
    }

    // A server is asked to end, and must do so in a while; that it then says so is no failure.
    void end_server(const cost &spent) {
        constexpr double patience_seconds = 5;
        if (program_.has_ended())
            return fail_with("the program ended while its client ran" + words_of(program_.wait()));
        program_.ask_to_end();
        const clock::time_point asked = clock::now();
        while (program_.listen(std::chrono::milliseconds(5)))
            if (seconds_since(asked) > patience_seconds) program_.kill_all();
        note(program_.wait().usage, spent);
    }

    void note(const rusage &usage, const cost &spent) {
        measurement &m = result_.measured;
        watch_.hear_of_peak(usage);
        m.peak_bytes = watch_.peak_bytes();
        m.resident = watch_.samples();
        m.minor_faults = static_cast<std::uint64_t>(usage.ru_minflt);
        m.major_faults = static_cast<std::uint64_t>(usage.ru_majflt);
        m.process_cpu_ns = cpu_ns_of(usage);
        m.figures[average_bytes_figure] = watch_.average_bytes();
        m.figures[waits_figure] = static_cast<double>(usage.ru_nvcsw);
        m.figures[preemptions_figure] = static_cast<double>(usage.ru_nivcsw);
        phase_sample s{run_phase, 1, 1, 0, spent};
        s.spent.minor_faults = m.minor_faults;
        s.spent.major_faults = m.major_faults;
        m.phases.push_back(std::move(s));
    }

    static std::string words_of(const ended_process &end) {
        return end.trouble.empty() ? std::string() : ": it " + end.trouble;
    }

    bool may_go_on() const { return seconds_since(begin_) < of_.limit_seconds && !interrupted(); }
    void fail_with(std::string what) { result_.measured.failure = std::move(what); }
    void stop(const std::string &why) {
        program_.kill_all();
        program_.wait();
        fail_with(fmt::format("{}: stopped after {:g} s", why, of_.limit_seconds));
    }

    const target &of_;
    started_process program_;
    clock::time_point begin_ = program_.begun();
    memory_watch watch_;
    target_run result_;
};

} // namespace

cost cost_of_run(const measurement &m) {
    for (const phase_sample &s : m.phases)
        if (s.phase == run_phase) return s.spent;
    return {};
}

target_run run_target(const target &of, const surroundings &with) {
    return target_runner(of, with).run();
}

} // namespace toft::lab
