// SPDX-License-Identifier: MIT
#include "interrupt.hpp"

#include <csignal>
#include <initializer_list>

namespace toft::lab {
namespace {

volatile std::sig_atomic_t caught = 0;

extern "C" void note_interrupt(int) { caught = 1; }
extern "C" void go_on(int) {}

} // namespace

void catch_interrupts() {
    struct sigaction action{};
    action.sa_handler = note_interrupt;
    // The second one has its usual effect. What is being printed goes on: no wait relies on EINTR,
    // since poll() ends at a signal in any case.
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        struct sigaction before{};
        const bool is_known = sigaction(signal, nullptr, &before) == 0;
        if (is_known && before.sa_handler == SIG_IGN) continue; // as nohup asks for
        sigaction(signal, &action, nullptr);
    }
    // A write says by its error that nobody reads any more. The handler isn't SIG_IGN, which the
    // programs that are started would inherit.
    action.sa_handler = go_on;
    action.sa_flags = SA_RESTART;
    sigaction(SIGPIPE, &action, nullptr);
}

bool interrupted() { return caught != 0; }

void stop_if_interrupted() {
    if (interrupted()) throw interruption{};
}

} // namespace toft::lab
