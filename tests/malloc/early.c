/* SPDX-License-Identifier: MIT */
/* A program that does things before libtoft-malloc's constructors run, and forks where it hurts:
     early keys       40 thread keys are taken before ours, so that setting ours allocates
     early locks      a handler that was registered first locks what a thread in malloc holds
     early handlers   a fork within a fork, while libtoft-malloc has its locks
     early signals    forks from the handler of signals that interrupt forks and allocations
     early limit      allocates before TOFT_MALLOC_LIMIT is read, which says less
     early errno      allocates where the first attempt finds no memory
     early faults     counts the page faults of objects of many sizes
     early forks      forks beside threads that allocate
     early threads    starts threads that allocate and end
     early c11threads the same, by C11's names
   A hang is ended by alarm. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

enum { key_count = 40, hang_seconds = 300, signals = 300, forks = 1000 };

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            static const char message[] = "not true: " #condition "\n";                            \
            (void)!write(2, message, sizeof message - 1);                                          \
            _exit(1);                                                                              \
        }                                                                                          \
    } while (0)

static pthread_key_t last_early_key;
static bool fork_again;

/* Through pointers that the compiler can't see through: it leaves pairs of malloc and free out. */
static void *(*volatile do_malloc)(size_t) = malloc;

static void *allocated_early;

static void allocate(void) {
    for (size_t size = 10; size < 3000000; size *= 7) {
        void *object = do_malloc(size);
        REQUIRE(object != NULL);
        memset(object, 'x', size);
        free(object);
    }
}

static void wait_for(pid_t child) {
    int status;
    REQUIRE(child > 0);
    while (waitpid(child, &status, 0) != child) {}
    REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static pid_t fork_to_allocate(void) {
    pid_t child = fork();
    if (child != 0) return child;
    allocate();
    _exit(0);
}

/* Registered before libtoft-malloc's own, without its knowledge, so that it is called after it. */
static void fork_inside(void) {
    if (!fork_again) return;
    fork_again = false;
    allocate();
    pid_t child = fork_to_allocate();
    allocate();
    wait_for(child);
}

typedef int registration(void (*)(void), void (*)(void), void (*)(void), void *);

static void register_inside(void) {
    void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
    REQUIRE(libc != NULL);
    void *symbol = dlsym(libc, "__register_atfork");
    REQUIRE(symbol != NULL);
    registration *system = __extension__(registration *) symbol;
    REQUIRE(system(fork_inside, NULL, NULL, NULL) == 0);
}

static pthread_mutex_t library_lock = PTHREAD_MUTEX_INITIALIZER;
static void lock_library(void) { pthread_mutex_lock(&library_lock); }
static void unlock_library(void) { pthread_mutex_unlock(&library_lock); }

static bool stopped; /* atomic */

static void *allocate_until_stopped(void *nothing) {
    while (!__atomic_load_n(&stopped, __ATOMIC_RELAXED)) allocate();
    return nothing;
}

static void fork_beside_threads(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        REQUIRE(pthread_create(&threads[i], NULL, allocate_until_stopped, NULL) == 0);
    for (int i = 0; i < forks; i++) wait_for(fork_to_allocate());
    __atomic_store_n(&stopped, true, __ATOMIC_RELAXED);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
}

static void *allocate_once(void *nothing) {
    allocate();
    return nothing;
}

static int allocate_once_in_c11(void *nothing) {
    (void)allocate_once(nothing);
    return 0;
}

static void start_and_end_c11_threads(void) {
    for (int i = 0; i < 300; i++) {
        thrd_t thread;
        REQUIRE(thrd_create(&thread, allocate_once_in_c11, NULL) == thrd_success);
        thrd_join(thread, NULL);
    }
}

static void start_and_end_threads(void) {
    for (int i = 0; i < 300; i++) {
        pthread_t thread;
        REQUIRE(pthread_create(&thread, NULL, allocate_once, NULL) == 0);
        pthread_join(thread, NULL);
    }
}

/* Called before the constructors of all libraries. */
static void at_start(int argc, char **argv) {
    for (int i = 0; i < key_count; i++) REQUIRE(pthread_key_create(&last_early_key, NULL) == 0);
    if (argc == 2 && strcmp(argv[1], "locks") == 0)
        REQUIRE(pthread_atfork(lock_library, unlock_library, unlock_library) == 0);
    if (argc == 2 && strcmp(argv[1], "handlers") == 0) register_inside();
    if (argc == 2 && strcmp(argv[1], "forks") == 0) fork_beside_threads();
    if (argc == 2 && strcmp(argv[1], "threads") == 0) start_and_end_threads();
    if (argc == 2 && strcmp(argv[1], "c11threads") == 0) start_and_end_c11_threads();
    allocated_early = do_malloc(100);
}
__attribute__((section(".preinit_array"), used)) static void (*start)(int, char **) = at_start;

static void keys(void) {
    allocate();
    pthread_key_t next;
    REQUIRE(pthread_key_create(&next, NULL) == 0);
    REQUIRE(next > last_early_key + 1); /* the one between is libtoft-malloc's */
}

static bool forked_enough; /* atomic */

static void *allocate_with_lock(void *nothing) {
    while (!__atomic_load_n(&forked_enough, __ATOMIC_RELAXED)) {
        lock_library();
        allocate();
        unlock_library();
    }
    return nothing;
}

static void locks(void) {
    pthread_t thread;
    REQUIRE(pthread_create(&thread, NULL, allocate_with_lock, NULL) == 0);
    for (int i = 0; i < forks; i++) {
        wait_for(fork_to_allocate());
    }
    __atomic_store_n(&forked_enough, true, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
}

static void *idle(void *lock) {
    pthread_mutex_lock(lock);
    allocate();
    return NULL;
}

static void handlers(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_t thread;
    pthread_mutex_lock(&lock);
    REQUIRE(pthread_create(&thread, NULL, idle, &lock) == 0); /* so that forks take the locks */
    fork_again = true;
    pid_t child = fork_to_allocate();
    REQUIRE(!fork_again);
    wait_for(child);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    allocate();
}

static volatile sig_atomic_t handled;

static void on_signal(int signal) {
    (void)signal;
    handled++;
    pid_t child = fork();
    if (child == 0) _exit(0);
    wait_for(child);
}

static void forks_under_signals(void) {
    REQUIRE(signal(SIGUSR1, on_signal) != SIG_ERR);
    pid_t main_process = getpid(), sender = fork();
    if (sender == 0) {
        alarm(hang_seconds);
        signal(SIGUSR1, SIG_IGN);
        while (kill(main_process, SIGUSR1) == 0 && getppid() == main_process) usleep(100);
        _exit(0);
    }
    REQUIRE(sender > 0);
    while (handled < signals) {
        allocate();
        pid_t child = fork();
        if (child == 0) _exit(0);
        wait_for(child);
    }
    signal(SIGUSR1, SIG_IGN);
    kill(sender, SIGKILL);
    waitpid(sender, NULL, 0);
}

static void limit(void) {
    REQUIRE(allocated_early != NULL);
    for (size_t size = 50000; size < 3000000; size *= 2) REQUIRE(do_malloc(size) == NULL);
}

/* Frees what fills spans, so that memory for another size is there, but not at once. */
static void success_keeps_errno(void) {
    enum { most_bytes = 128 << 20, bytes = 1024 };
    static void *kept[most_bytes / bytes];
    const struct rlimit limit = {most_bytes, most_bytes};
    REQUIRE(setrlimit(RLIMIT_AS, &limit) == 0);
    size_t count = 0;
    while ((kept[count] = do_malloc(bytes)) != NULL) count++;
    while (do_malloc(64) != NULL) {}
    for (size_t i = count / 2; i < count / 2 + 250; i++) free(kept[i]);
    errno = 77;
    REQUIRE(do_malloc(40) != NULL);
    REQUIRE(errno == 77);
}

static long faults(void) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_minflt;
}

/* Each class of sizes once, as a short program does. */
static void few_of_each_size(void) {
    enum { sizes = 24 };
    do_malloc(1);
    const long before = faults();
    for (size_t i = 1; i <= sizes; i++) *(char *)do_malloc(i * 16) = 1;
    REQUIRE(faults() - before < sizes * 2 / 3);
}

static void threads_leave_little(void) {
    malloc_trim(0);
    REQUIRE(mallinfo2().arena <= 4 << 20);
}

int main(int argc, char **argv) {
    alarm(hang_seconds);
    REQUIRE(dlsym(RTLD_DEFAULT, "toft_malloc_version") != NULL); /* it was preloaded */
    const char *what = argc == 2 ? argv[1] : "";
    if (strcmp(what, "keys") == 0)
        keys();
    else if (strcmp(what, "locks") == 0)
        locks();
    else if (strcmp(what, "handlers") == 0)
        handlers();
    else if (strcmp(what, "signals") == 0)
        forks_under_signals();
    else if (strcmp(what, "limit") == 0)
        limit();
    else if (strcmp(what, "errno") == 0)
        success_keeps_errno();
    else if (strcmp(what, "faults") == 0)
        few_of_each_size();
    else if (strcmp(what, "threads") == 0 || strcmp(what, "c11threads") == 0)
        threads_leave_little();
    else if (strcmp(what, "forks") == 0)
        allocate();
    else
        return 2;
    return 0;
}
