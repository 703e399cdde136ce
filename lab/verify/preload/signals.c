/* SPDX-License-Identifier: MIT */
#include "signals.h"

#include "plan_file.h"
#include "record/preload/next_function.h"
#include "verifier.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

/* The next library's functions. */
static struct {
    __typeof__(&sigaction) sigaction;
    __typeof__(&signal) signal;
    __typeof__(&sigprocmask) sigprocmask;
    __typeof__(&pthread_sigmask) pthread_sigmask;
} next;

static struct sigaction programs_own; /* of SIGSEGV */

/* They may be called before the loader comes to this library. */
static void find_all(void) {
    if (next.pthread_sigmask) return;
    find_next("sigaction", (void *)&next.sigaction);
    find_next("signal", (void *)&next.signal);
    find_next("sigprocmask", (void *)&next.sigprocmask);
    find_next("pthread_sigmask", (void *)&next.pthread_sigmask);
}

/* As if nothing had caught the signal: a fault comes again at once, what somebody sent does not. */
static void end_by_default(const siginfo_t *info) {
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    next.sigaction(SIGSEGV, &by_default, NULL);
    if (info->si_code <= 0) syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGSEGV);
}

static void hand_on(int signal, siginfo_t *info, void *context) {
    const struct sigaction own = programs_own;
    const unsigned flags = (unsigned)own.sa_flags;
    if (flags & SA_RESETHAND) programs_own = (struct sigaction){.sa_handler = SIG_DFL};
    if (own.sa_handler == SIG_IGN && info->si_code <= 0) return;
    if (own.sa_handler == SIG_DFL || own.sa_handler == SIG_IGN)
        end_by_default(info);
    else if (flags & SA_SIGINFO)
        own.sa_sigaction(signal, info, context);
    else
        own.sa_handler(signal);
}

static void on_fault(int signal, siginfo_t *info, void *context) {
    const int error = errno;
    const bool is_fault = info->si_code > 0;
    const bool taken = is_fault && take_fault(context, (uintptr_t)info->si_addr);
    errno = error;
    if (!taken) hand_on(signal, info, context);
}

/* On the thread's other stack where the program has given it one. Who has started the program may
 * have blocked the signal, and then a fault ends it at once. */
bool catch_faults(void) {
    find_all();
    sigset_t faults;
    sigemptyset(&faults);
    sigaddset(&faults, SIGSEGV);
    struct sigaction ours = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART};
    ours.sa_sigaction = on_fault;
    return next.sigaction && next.sigaction(SIGSEGV, &ours, &programs_own) == 0 &&
           next.pthread_sigmask(SIG_UNBLOCK, &faults, NULL) == 0;
}

/* --- what the program asks for --- */

EXPORTED int sigaction(int signal, const struct sigaction *action, struct sigaction *former) {
    find_all();
    if (!plan) return next.sigaction(signal, action, former);
    if (signal == SIGSEGV) {
        const struct sigaction was = programs_own;
        if (action) programs_own = *action;
        if (former) *former = was;
        return 0;
    }
    if (!action) return next.sigaction(signal, action, former);
    struct sigaction changed = *action;
    sigdelset(&changed.sa_mask, SIGSEGV);
    return next.sigaction(signal, &changed, former);
}

EXPORTED sighandler_t signal(int signal, sighandler_t handler) {
    find_all();
    if (!plan || signal != SIGSEGV) return next.signal(signal, handler);
    const sighandler_t former = programs_own.sa_handler;
    programs_own = (struct sigaction){.sa_handler = handler, .sa_flags = SA_RESTART};
    return former;
}

static const sigset_t *without_faults(int how, const sigset_t *set, sigset_t *room) {
    if (!plan || !set || how == SIG_UNBLOCK) return set;
    *room = *set;
    sigdelset(room, SIGSEGV);
    return room;
}

EXPORTED int sigprocmask(int how, const sigset_t *set, sigset_t *former) {
    sigset_t room;
    find_all();
    return next.sigprocmask(how, without_faults(how, set, &room), former);
}

EXPORTED int pthread_sigmask(int how, const sigset_t *set, sigset_t *former) {
    sigset_t room;
    find_all();
    return next.pthread_sigmask(how, without_faults(how, set, &room), former);
}
