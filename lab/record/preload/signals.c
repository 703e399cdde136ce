/* SPDX-License-Identifier: MIT */
/* A signal that ends the process, as Ctrl-C, a service's SIGTERM, a crash, and what the C library
 * raises when it aborts: where the program leaves it to the system, a handler saves the recording
 * first. The program is told that there is none, and another program gets none by exec. */
#include "signals.h"

#include "next_function.h"
#include "recorder.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

sighandler_t bsd_signal(int, sighandler_t); /* no header of today's declares it */

/* clang-format off */
#define NAMES(F)                                                                                   \
    F(sigaction) F(raise) F(kill)                                                                  \
    F(signal) F(bsd_signal) F(ssignal) F(sysv_signal) F(__sysv_signal) F(sigset)
/* clang-format on */

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static struct {
    NAMES(DECLARE_NEXT)
} next;

static void find_names(void) {
    if (next.sigaction) return;
    NAMES(FIND_NEXT)
    (void)dlerror(); /* of a name that this C library lacks */
}
#define NEXT(name) (find_names(), next.name)

static bool is_saving;

/* Whether the system ends the process by it, and can be asked not to. */
static bool may_end(int signal) {
    switch (signal) {
    case SIGCHLD:
    case SIGCONT:
    case SIGTSTP:
    case SIGTTIN:
    case SIGTTOU:
    case SIGURG:
    case SIGWINCH:
    case SIGKILL:
    case SIGSTOP:
        return false;
    default:
        return true;
    }
}

/* A filter of system calls may refuse any of them. */
static bool send_again(int signal, siginfo_t *info) {
    return syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(), signal, info) == 0 ||
           syscall(SYS_tgkill, getpid(), gettid(), signal) == 0 ||
           syscall(SYS_kill, getpid(), signal) == 0;
}

/* The first process of a container goes on after a signal that it leaves to the system, unless it
 * crashes: a handler would only interrupt it. */
static bool is_spared(void) { return getpid() == 1; }

/* The signal comes again when this handler returns, and finds the thread where it was, for a
 * debugger and the core file. Where a filter lets none come, the process ends with the status that
 * a shell would show. */
static void save_and_end(int signal, siginfo_t *info, void *unused) {
    (void)unused;
    const int error = errno;
    if (!is_spared()) save_recording(toft_end_signal);
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    if (next.sigaction(signal, &by_default, NULL) != 0 ||
        (!is_spared() && !send_again(signal, info)))
        syscall(SYS_exit_group, 128 + signal);
    errno = error;
}

static bool is_ours(const struct sigaction *action) {
    return action->sa_flags & SA_SIGINFO && action->sa_sigaction == save_and_end;
}

static bool is_left_to_system(int signal) {
    struct sigaction now;
    return next.sigaction(signal, NULL, &now) == 0 && now.sa_handler == SIG_DFL;
}

static void stand_for_default(int signal) {
    if (!is_saving || !may_end(signal) || is_spared()) return;
    const int error = errno;
    struct sigaction ours = {.sa_flags = SA_SIGINFO | SA_RESTART}, former;
    ours.sa_sigaction = save_and_end;
    if (signal == SIGSEGV || signal == SIGBUS) ours.sa_flags |= SA_ONSTACK; /* of a full stack */
    sigfillset(&ours.sa_mask);
    if (is_left_to_system(signal) && next.sigaction(signal, &ours, &former) == 0 &&
        former.sa_handler != SIG_DFL)
        next.sigaction(signal, &former, NULL); /* another thread's has come between */
    errno = error;
}

void save_at_signals(void) {
    find_names();
    is_saving = true;
    for (int signal = 1; signal < NSIG; ++signal) stand_for_default(signal);
}

/* --- what the program sees and sets --- */

EXPORTED int sigaction(int signal, const struct sigaction *action, struct sigaction *former) {
    const bool is_default = action && action->sa_handler == SIG_DFL; /* `former` may be the same */
    struct sigaction was;
    const int result = NEXT(sigaction)(signal, action, &was);
    if (result != 0) return result;
    if (is_ours(&was)) was = (struct sigaction){.sa_handler = SIG_DFL};
    if (former) *former = was;
    if (is_default) stand_for_default(signal);
    return result;
}

/* The simpler ones give back the former handler. */
#define SET_HANDLER(name)                                                                          \
    EXPORTED sighandler_t name(int signal, sighandler_t handler) {                                 \
        const sighandler_t former = NEXT(name)(signal, handler);                                   \
        if (former != SIG_ERR && handler == SIG_DFL) stand_for_default(signal);                    \
        const struct sigaction was = {.sa_handler = former, .sa_flags = SA_SIGINFO};               \
        return is_ours(&was) ? SIG_DFL : former;                                                   \
    }

SET_HANDLER(signal)
SET_HANDLER(bsd_signal)
SET_HANDLER(ssignal)
SET_HANDLER(sysv_signal)
SET_HANDLER(__sysv_signal)
SET_HANDLER(sigset)

/* A handler that was set for one time (SA_RESETHAND) mostly raises the signal again, and the system
 * has set its own action by then. */
#define RAISE(name, parameters, arguments)                                                         \
    EXPORTED int name parameters {                                                                 \
        stand_for_default(signal);                                                                 \
        return NEXT(name) arguments;                                                               \
    }

RAISE(raise, (int signal), (signal))
RAISE(kill, (pid_t to, int signal), (to, signal))
