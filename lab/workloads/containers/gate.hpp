// SPDX-License-Identifier: MIT
#pragma once

#include "subject/meeting_point.hpp"
#include "subject/session.hpp"

#include <cstddef>
#include <functional>
#include <string>

// Several threads that do the same work, phase by phase, each phase beginning together. The first
// thread is the process's own, and it measures the time. A phase's time is the CPU time of all
// threads, divided by the operations of all threads, so that figures for different numbers of
// threads can be compared as they are.
namespace toft::lab {

class gate {
  public:
    static constexpr std::size_t stack_bytes = 8U << 20U; // that each thread has, or more

    gate(session &run, unsigned threads) : session_(run), threads_(threads), all_(threads) {}

    // Calls program(crew) on each thread, and returns when all have.
    class crew;
    void run(const std::function<void(crew &)> &program);

  private:
    session &session_;
    unsigned threads_;
    meeting_point all_;
};

// One thread's place in the gate.
class gate::crew {
  public:
    session &run() const { return gate_.session_; }
    bool counted() const { return gate_.session_.counted(); }

    // All threads begin the phase together; each does the work, n of it.
    void phase(const std::string &name, unsigned round, amount n, std::invocable auto &&work) {
        if (!first_) {
            gate_.all_.pass();
            work();
            gate_.all_.pass();
            return;
        }
        const amount of_all{n.operations * gate_.threads_, n.allocations * gate_.threads_};
        if (gate_.threads_ == 1) {
            gate_.session_.timed(name, round, of_all, work);
            return;
        }
        gate_.session_.timed_on_threads(name, round, of_all, [&] {
            gate_.all_.pass();
            work();
            gate_.all_.pass();
        });
    }

    // Does what session::check does, for the results of the first thread only.
    void check(bool holds, const std::string &what) {
        if (first_) gate_.session_.check(holds, what);
    }

  private:
    friend class gate;
    crew(gate &of, bool first) : gate_(of), first_(first) {}

    gate &gate_;
    bool first_;
};

} // namespace toft::lab
