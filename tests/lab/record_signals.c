/* SPDX-License-Identifier: MIT */
/* Programs that signals end, or don't: one for each first word. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { not_allowed = 77 };

static void *volatile kept;

static void make(int objects, size_t bytes) {
    while (objects-- > 0) kept = malloc(bytes);
}

static void must(int is_so) {
    if (!is_so) exit(3);
}

/* --- sent by the process to itself --- */

static pthread_barrier_t has_made;

static void *make_and_wait(void *unused) {
    make(50, 4902);
    pthread_barrier_wait(&has_made);
    pause();
    return unused;
}

static void raise_again(int signal) { raise(signal); }

static void raise_by_default(int number) {
    signal(number, SIG_DFL);
    raise(number);
}

static void *make_and_kill(void *unused) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
    make(50, 4902);
    kill(getpid(), SIGTERM);
    return unused;
}

static void be_killed_by_thread(void) {
    make(100, 4901);
    pthread_t thread;
    must(pthread_create(&thread, NULL, make_and_kill, NULL) == 0);
    for (;;) pause();
}

static void set_for_one_time(int signal) {
    struct sigaction once = {.sa_handler = raise_again};
    once.sa_flags = (int)SA_RESETHAND;
    must(sigaction(signal, &once, NULL) == 0);
}

/* Workers of servers end so, others in their handler of the same signal. */
static void to_itself(const char *how) {
    pthread_t other;
    pthread_barrier_init(&has_made, NULL, 2);
    pthread_create(&other, NULL, make_and_wait, NULL);
    pthread_barrier_wait(&has_made);
    make(100, 4901);
    if (!strcmp(how, "one-time")) set_for_one_time(SIGTERM);
    if (!strcmp(how, "raise") || !strcmp(how, "one-time")) raise(SIGTERM);
    if (!strcmp(how, "kill")) kill(getpid(), SIGTERM);
    if (!strcmp(how, "sigqueue")) sigqueue(getpid(), SIGTERM, (union sigval){.sival_int = 0});
    if (!strcmp(how, "pthread_kill")) pthread_kill(other, SIGTERM);
    if (!strcmp(how, "tgkill")) tgkill(getpid(), getpid(), SIGTERM);
    if (!strcmp(how, "bare")) syscall(SYS_kill, getpid(), SIGTERM);
    if (setpgid(0, 0) != 0) exit(3); /* the others of its group, this command's, stay */
    if (!strcmp(how, "group")) kill(0, SIGTERM);
    for (;;) pause(); /* where another thread takes it */
}

/* --- crashes --- */

static int *volatile nowhere;

static void crash(const char *how) {
    make(100, 4901);
    if (!strcmp(how, "null")) *nowhere = 1;
    if (!strcmp(how, "trap")) __builtin_trap();
    if (!strcmp(how, "broken-heap")) {
        char *object = malloc(100);
        free(object + 8);
    }
}

static void *make_many(void *unused) {
    for (size_t i = 0; i < 30000; ++i) free(malloc(64 + i * 7919 % 1024));
    pthread_barrier_wait(&has_made);
    pause();
    return unused;
}

static void *abort_too(void *unused) {
    pthread_barrier_wait(&has_made);
    usleep(1000);
    raise(SIGABRT);
    return unused;
}

/* There is much to write for the one that comes first, which the other doesn't end. */
static void abort_in_two_threads(void) {
    enum { makers = 40 };
    pthread_t thread;
    pthread_barrier_init(&has_made, NULL, makers + 2);
    for (int i = 0; i < makers; ++i) must(pthread_create(&thread, NULL, make_many, NULL) == 0);
    must(pthread_create(&thread, NULL, abort_too, NULL) == 0);
    make(100, 4901);
    pthread_barrier_wait(&has_made);
    abort();
}

/* A debugger, or a core file, finds where and why it crashed. */
static void crash_before_debugger(void) {
    const pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(not_allowed);
        crash("null");
    }
    int status = 0;
    siginfo_t last = {.si_code = 0};
    struct {
        uintptr_t first, last;
    } sp = {0, 0};
    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        struct {
            char before[19 * sizeof(uintptr_t)]; /* of struct user, up to the stack pointer */
            uintptr_t sp;
        } *const user = NULL;
        sp.last = (uintptr_t)ptrace(PTRACE_PEEKUSER, child, &user->sp, NULL);
        if (sp.first == 0) sp.first = sp.last;
        must(ptrace(PTRACE_GETSIGINFO, child, NULL, &last) == 0);
        must(ptrace(PTRACE_CONT, child, NULL, (void *)(uintptr_t)WSTOPSIG(status)) == 0);
    }
    if (WIFEXITED(status)) exit(WEXITSTATUS(status));
    must(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV && sp.first == sp.last);
    must(last.si_signo == SIGSEGV && last.si_code == SEGV_MAPERR && last.si_addr == NULL);
}

/* --- sent by another process --- */

static int ready[2];

/* The child sends it when the parent has said that all is made. */
static void let_child_send(int signal) {
    must(pipe(ready) == 0);
    const pid_t parent = getpid();
    if (fork() != 0) return;
    char word;
    if (read(ready[0], &word, 1) == 1) kill(parent, signal);
    _exit(0);
}

static void say_ready(void) { must(write(ready[1], "", 1) == 1); }

static void ignore_it(int signal) { (void)signal; }

static void from_other(int number, const char *before) {
    if (!strcmp(before, "default-again")) {
        must(signal(number, ignore_it) == SIG_DFL && signal(number, SIG_DFL) == ignore_it);
    }
    if (!strcmp(before, "default-in-place")) {
        struct sigaction action = {.sa_handler = ignore_it}, *volatile same = &action;
        must(sigaction(number, &action, NULL) == 0);
        action.sa_handler = SIG_DFL;
        must(sigaction(number, &action, same) == 0 && action.sa_handler == ignore_it);
    }
    if (!strcmp(before, "handler")) must(signal(number, raise_by_default) == SIG_DFL);
    if (!strcmp(before, "one-time")) set_for_one_time(number);
    let_child_send(number);
    make(100, 4901);
    say_ready();
    for (;;) pause();
}

static void *make_more_and_more(void *first_bytes) {
    for (size_t bytes = (size_t)(uintptr_t)first_bytes;; ++bytes) free(malloc(bytes));
    return NULL;
}

/* Each thread's objects are one byte larger than the former one's. */
static void busy_threads(void) {
    let_child_send(SIGTERM);
    pthread_t thread;
    for (uintptr_t i = 1; i <= 4; ++i)
        must(pthread_create(&thread, NULL, make_more_and_more, (void *)(i * 10000000)) == 0);
    make(1000, 4901);
    say_ready();
    for (;;) pause();
}

static void on_small_stack(void) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_barrier_init(&has_made, NULL, 2);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, (size_t)PTHREAD_STACK_MIN);
    must(pthread_create(&thread, &attributes, make_and_wait, NULL) == 0);
    pthread_barrier_wait(&has_made);
    make(100, 4901);
    pthread_kill(thread, SIGTERM);
    for (;;) pause();
}

/* A stack for signals that has room for the program's own handlers, and for nothing else. */
static void beside_small_stack(void) {
    enum { bytes = 4096 };
    char *memory = mmap(NULL, 2 * bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(memory != MAP_FAILED && mprotect(memory + bytes, bytes, PROT_READ | PROT_WRITE) == 0);
    if (sigaltstack(&(stack_t){.ss_sp = memory + bytes, .ss_size = bytes}, NULL) != 0)
        exit(not_allowed); /* the processor's registers alone need more */
    make(100, 4901);
    raise(SIGTERM);
}

/* --- under a filter of system calls --- */

static void refuse(unsigned call) {
    struct sock_filter steps[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    const struct sock_fprog filter = {sizeof steps / sizeof *steps, steps};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) exit(not_allowed);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) exit(not_allowed);
}

static void refused(const char *calls) {
    let_child_send(SIGTERM);
    make(100, 4901);
    if (strchr(calls, 'a')) refuse(SYS_rt_sigaction);
    if (strchr(calls, 'q')) refuse(SYS_rt_tgsigqueueinfo);
    if (strchr(calls, 't')) refuse(SYS_tgkill);
    if (strchr(calls, 'k')) refuse(SYS_kill);
    say_ready();
    for (;;) pause();
}

/* --- what ends nothing --- */

static void harmless(void) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, SIGUSR1);
    make(10, 4911);
    pthread_sigmask(SIG_BLOCK, &one, NULL);
    kill(getpid(), SIGUSR1);
    make(10, 4912);
    int number = 0;
    sigwait(&one, &number);
    pthread_sigmask(SIG_UNBLOCK, &one, NULL);
    sigaction(SIGUSR1, &(struct sigaction){.sa_handler = ignore_it}, NULL);
    raise(SIGUSR1);
    signal(SIGUSR2, SIG_IGN);
    raise(SIGUSR2);
    make(10, 4913);
    raise(SIGURG); /* does nothing of itself */
    if (kill(getpid(), 1000) == 0 || errno != EINVAL || kill(getpid(), 0) != 0) exit(3);
    make(10, 4914);
}

static void stay_asleep(void) {
    struct timespec time = {.tv_nsec = 300 * 1000 * 1000};
    if (fork() == 0) exit((usleep(100 * 1000), kill(1, SIGTERM)));
    must(getpid() == 1 && nanosleep(&time, NULL) == 0);
    exit(0);
}

/* The first process of a container is ended by no signal that it leaves to the system. */
static void be_first(char *self) {
    if (unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) exit(not_allowed);
    const pid_t child = fork();
    if (child == 0) execl(self, self, "stay-asleep", (char *)NULL), _exit(0);
    int status = 1;
    must(waitpid(child, &status, 0) == child && status == 0);
}

/* Another thread is inside the loader, and waits. */
static pthread_barrier_t loading, has_sent;

void while_loading(void) {
    pthread_barrier_wait(&loading);
    pthread_barrier_wait(&has_sent);
}

static void *load(void *path) { return dlopen(path, RTLD_NOW); }

static void send_while_loading(char *library) {
    pthread_t thread;
    pthread_barrier_init(&loading, NULL, 2);
    pthread_barrier_init(&has_sent, NULL, 2);
    must(pthread_create(&thread, NULL, load, library) == 0);
    pthread_barrier_wait(&loading);
    must(kill(getpid(), 0) == 0 && raise(SIGURG) == 0 && signal(SIGUSR1, ignore_it) == SIG_DFL);
    const pid_t child = fork(); /* in which nobody ends the loading */
    if (child == 0) execl("/no/such/program", "program", (char *)NULL), _exit(0);
    int status = 1;
    must(waitpid(child, &status, 0) == child && status == 0);
    pthread_barrier_wait(&has_sent);
    pthread_join(thread, NULL);
}

/* What it has still to learn about a library that isn't there stays. */
static void keep_words(void) {
    must(dlopen("/no/such/library", RTLD_NOW) == NULL);
    must(kill(getpid(), 0) == 0 && signal(SIGUSR1, ignore_it) == SIG_DFL);
    must(dlerror() != NULL);
}

/* Whatever it asks by, the program finds what it has set. */
static void looks(void) {
    typedef sighandler_t setter(int, sighandler_t);
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    setter *const setters[] = {signal, ssignal, sysv_signal, sigset};
    errno = 5;
    for (int number = 1; number < NSIG; ++number) {
        struct sigaction now;
        if (number == SIGKILL || number == SIGSTOP || sigaction(number, NULL, &now) != 0) continue;
        must(now.sa_handler == SIG_DFL && now.sa_flags == 0);
        for (size_t i = 0; i < sizeof setters / sizeof *setters; ++i) {
            must(setters[i](number, ignore_it) == SIG_DFL);
            must(setters[i](number, SIG_DFL) == ignore_it);
            must(setters[i](number, SIG_DFL) == SIG_DFL);
        }
        const struct sigaction own = {.sa_handler = ignore_it, .sa_flags = SA_NODEFER};
        must(sigaction(number, &own, &now) == 0 && now.sa_handler == SIG_DFL);
        must(sigaction(number, NULL, &now) == 0 && now.sa_handler == ignore_it);
        must((now.sa_flags & (SA_NODEFER | SA_SIGINFO)) == SA_NODEFER);
        must(sigaction(number, &(struct sigaction){.sa_handler = SIG_IGN}, NULL) == 0);
        must(sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_IGN);
        must(sigaction(number, &(struct sigaction){.sa_handler = SIG_DFL}, NULL) == 0);
        must(sigaction(number, NULL, &now) == 0 && now.sa_handler == SIG_DFL);
    }
    must(sigaction(NSIG, NULL, NULL) == -1 && errno == EINVAL);
    must(signal(SIGKILL, SIG_DFL) == SIG_ERR && errno == EINVAL);
}

int main(int count, char **words) {
    const char *what = count > 1 ? words[1] : "", *how = count > 2 ? words[2] : "";
    if (!strcmp(what, "to-itself")) to_itself(how);
    if (!strcmp(what, "crash")) crash(how);
    if (!strcmp(what, "two-aborts")) abort_in_two_threads();
    if (!strcmp(what, "debugger")) crash_before_debugger();
    if (!strcmp(what, "from-other")) from_other(atoi(how), count > 3 ? words[3] : "");
    if (!strcmp(what, "busy-threads")) busy_threads();
    if (!strcmp(what, "small-stack")) on_small_stack();
    if (!strcmp(what, "beside-small-stack")) beside_small_stack();
    if (!strcmp(what, "by-thread")) be_killed_by_thread();
    if (!strcmp(what, "refused")) refused(how);
    if (!strcmp(what, "first")) be_first(words[0]);
    if (!strcmp(what, "stay-asleep")) stay_asleep();
    if (!strcmp(what, "harmless")) harmless();
    if (!strcmp(what, "loading")) send_while_loading(words[2]);
    if (!strcmp(what, "words")) keep_words();
    if (!strcmp(what, "looks")) looks();
    return 0;
}
