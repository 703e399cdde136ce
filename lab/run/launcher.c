/* SPDX-License-Identifier: MIT */
/* Starts a program from a process that has hardly any memory:
 *   launcher REPORT LIFELINE PROGRAM [ARG...]
 * What a process has at its exec counts in the peak that the kernel tells of it at its end, and a
 * fresh process has a copy of its parent's memory. The lab's own would hide what a small program
 * takes; a copy of this process is smaller than any program.
 *
 * The program is made a child of the lab's, not of this process, so that the lab waits for it
 * itself. REPORT is the lab's end of a pipe, to which a launch_report is written. LIFELINE is an
 * end of another, which nobody writes to: it closes when the lab is gone, however that came, and
 * then all of the program's group is killed. Each name in the environment has a `_` before it: what
 * LD_PRELOAD names is for the program alone. Arguments would be the wrong place for it, since
 * every user of the machine can read those. */
#define _GNU_SOURCE
#include "launch_report.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum { not_started = 127 }; /* as shells have it */

struct start {
    char **words;
    int report;
    int ready[2]; /* closes when this process has nothing left to do before the program runs */
};

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000U + (uint64_t)t.tv_nsec;
}

static void wait_for_end(int pipe_end) {
    char nothing;
    while (read(pipe_end, &nothing, 1) < 0 && errno == EINTR) {}
}

/* The lab looks at the program as soon as nobody has REPORT any more. So the program begins when
 * this process has closed it, and isn't over before this process gets its turn. */
static int become(void *how) {
    const struct start *s = how;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    close(s->ready[1]);
    wait_for_end(s->ready[0]);
    const struct launch_report made = {now_ns(), getpid(), 0};
    if (write(s->report, &made, sizeof made) == sizeof made) execvp(s->words[0], s->words);
    _exit(not_started);
}

static int start(struct start *s) {
    static _Alignas(16) char stack[1 << 18];
    if (pipe2(s->ready, O_CLOEXEC) != 0) return -1;
    return clone(become, stack + sizeof stack, CLONE_PARENT | SIGCHLD, s);
}

int main(int count, char **words) {
    if (count < 4) return not_started;
    const int report = atoi(words[1]), lifeline = atoi(words[2]);
    for (char **variable = environ; *variable; ++variable) ++*variable;
    fcntl(report, F_SETFD, FD_CLOEXEC); /* which tells the lab when the program has begun */
    fcntl(lifeline, F_SETFD, FD_CLOEXEC);

    struct start how = {words + 3, report, {-1, -1}};
    const int started = start(&how);
    if (started < 0) {
        const struct launch_report failed = {0, -1, errno};
        return write(report, &failed, sizeof failed) == sizeof failed ? 0 : not_started;
    }
    close(report);
    close(STDOUT_FILENO); /* these are the program's now */
    close(STDERR_FILENO);
    close(how.ready[1]);
    wait_for_end(lifeline);
    kill(-started, SIGKILL);
    return 0;
}
