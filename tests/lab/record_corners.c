/* SPDX-License-Identifier: MIT */
/* Programs that once crashed under the recorder, or whose calls it lost: one for each word. */
#define _GNU_SOURCE
#undef NDEBUG
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __clang__
    #define NOINLINE __attribute__((noinline))
#else
    #define NOINLINE __attribute__((noinline, noclone))
#endif

void __stack_chk_fail(void);

static void *volatile kept;

/* Sizes that can't be guessed, so that the file grows. */
static void allocate_at_random(int count) {
    static void *objects[256];
    for (int i = 0; i < count; ++i) {
        const int at = rand() % 256;
        free(objects[at]);
        objects[at] = malloc((size_t)(rand() % 500));
    }
}

/* Its recording may not grow, and nobody reads what is said of that. The program itself writes
 * nothing but one word at its end. */
static void limited(void) {
    const struct rlimit limit = {20000, 20000};
    int ends[2];
    if (pipe(ends) != 0 || setrlimit(RLIMIT_FSIZE, &limit) != 0) exit(3);
    close(ends[0]);
    dup2(ends[1], STDERR_FILENO);
    allocate_at_random(300000);
    puts("alive");
}

/* It has no standard input, and few numbers for files. */
static void few_files(void) {
    const struct rlimit limit = {100, 100};
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) exit(3);
    close(STDIN_FILENO);
    allocate_at_random(300000);
    puts(fcntl(STDIN_FILENO, F_GETFD) < 0 ? "closed" : "open");
}

/* A signal that the program has raised itself, and holds back, stays its own. */
static void holds_back(void) {
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGXFSZ);
    sigprocmask(SIG_BLOCK, &held, NULL);
    raise(SIGXFSZ);
    limited();
    sigpending(&held);
    puts(sigismember(&held, SIGXFSZ) ? "pending" : "lost");
}

/* It waits for the lock of all locales if that was left in disorder. */
static void locales(void) {
    alarm(60);
    setlocale(LC_ALL, "");
    setlocale(LC_ALL, "C");
    puts(dlerror() ? "an error" : "no error");
}

/* --- stacks --- */

/* Without unwind rules, as hand-written switches of coroutines are: all that is known is bp. */
void call_on(void **save, void *stack, void (*routine)(void));
void switch_to(void **save, void *to);
void call_plainly(void (*routine)(void));
__asm__(".text\n"
        "call_on: push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
        " mov %rsp, (%rdi); lea 40(%rsp), %rbp; mov %rsi, %rsp; call *%rdx; ud2\n"
        "switch_to: push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
        " mov %rsp, (%rdi); mov %rsi, %rsp\n"
        " pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp; ret\n"
        "call_plainly: push %rbp; mov %rsp, %rbp; call *%rdi; pop %rbp; ret\n");

enum { stack_bytes = 1 << 16 };
static void *of_main, *of_first, *of_second;
static char *stacks;

static NOINLINE void allocate_3101(void) {
    for (int i = 0; i < 10; ++i) free(malloc(3101));
}

static NOINLINE void second(void) {
    for (;;) {
        allocate_3101();
        switch_to(&of_second, of_main);
    }
}

static NOINLINE void first(void) {
    allocate_3101();
    call_on(&of_first, stacks + stack_bytes, second);
}

/* Two coroutines' stacks lie beside each other in one mapping. The second is begun by the first,
 * and goes on when that one's stack is gone. */
static void coroutines(void) {
    const size_t guard = stack_bytes;
    char *all =
        mmap(NULL, 2 * stack_bytes + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    stacks = all + guard;
    if (all == MAP_FAILED || mprotect(stacks, 2 * stack_bytes, PROT_READ | PROT_WRITE)) exit(3);
    call_on(&of_main, stacks + 2 * stack_bytes, first);
    munmap(stacks + stack_bytes, stack_bytes);
    switch_to(&of_main, of_second);
    puts("alive");
}

static NOINLINE void allocate_3102(void) { kept = malloc(3102); }

static NOINLINE void *calls_plainly(void *unused) {
    call_plainly(allocate_3102);
    return unused;
}

/* On a thread's own stack, bp leads as far as it did. */
static void no_rules(void) {
    pthread_t thread;
    calls_plainly(NULL);
    pthread_create(&thread, NULL, calls_plainly, NULL);
    pthread_join(thread, NULL);
}

static NOINLINE int descend_and_allocate(int levels) {
    if (levels > 0) return descend_and_allocate(levels - 1) + 1;
    for (int i = 0; i < 1000; ++i) free(malloc(3103));
    return 0;
}

/* --- threads --- */

static void tell_resident(void) {
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld\n", usage.ru_maxrss);
}

/* The C library frees what strerror() has made when all destructors of the thread's keys have
 * run. */
static void *leaves_late(void *unused) {
    free(malloc(3201));
    (void)strerror(99999);
    return unused;
}

static void late(int count) {
    for (int i = 0; i < count; ++i) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, leaves_late, NULL) != 0) exit(3);
        pthread_join(thread, NULL);
    }
    tell_resident();
}

static void free_many(void) {
    for (int i = 0; i < 20000; ++i) free(malloc(3202));
}

/* The last thread that ends also ends the process. */
static void free_many_after_the_end(void) {
    if (atexit(free_many) != 0) exit(3);
    pthread_exit(NULL);
}

extern void (*when_gone)(void); /* handing_heap.c */

static void *takes_its_place(void *unused) {
    kept = malloc(3601);
    return unused;
}

static void let_another_allocate(void) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, takes_its_place, NULL) != 0) exit(3);
    pthread_join(thread, NULL);
}

static void vanish(void) {
    void *volatile own = malloc(3601);
    when_gone = let_another_allocate;
    own = realloc(own, 0);
}

static atomic_bool is_over;
static atomic_ulong pairs_made;

static void *makes_pairs(void *unused) {
    while (!is_over) {
        free(malloc(3301));
        ++pairs_made;
    }
    return unused;
}

static void fail_to_exec(void) { execl("/no/such/program", "no", (char *)NULL); }

/* Calls of exec fail while another thread works. */
static void exec_beside_thread(int count) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, makes_pairs, NULL) != 0) exit(3);
    for (int i = 0; i < count; ++i) {
        const unsigned long before = pairs_made;
        fail_to_exec();
        while (pairs_made == before) sched_yield();
    }
    is_over = true;
    pthread_join(thread, NULL);
    printf("%lu\n", pairs_made);
}

/* Their blocks are short, so that they write many. */
static void exec_among_threads(const char *self) {
    for (int i = 0; i < 64; ++i) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, makes_pairs, NULL) != 0) exit(3);
    }
    while (pairs_made < 100000) sched_yield();
    execl(self, self, "nothing", (char *)NULL);
}

static void *fails_to_exec(void *unused) {
    while (!is_over) fail_to_exec();
    return unused;
}

/* And while another thread forks. */
static void fork_beside_exec(int count) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, fails_to_exec, NULL) != 0) exit(3);
    for (int i = 0; i < count; ++i) {
        if (fork() == 0) {
            free(malloc(3302));
            _exit(0);
        }
        wait(NULL);
    }
    is_over = true;
    pthread_join(thread, NULL);
}

/* --- children --- */

static void allocate_in_handler(int signal) {
    (void)signal;
    for (int i = 0; i < 50; ++i) kept = malloc(3401);
}

static void miss_and_fork(void) {
    signal(SIGUSR1, allocate_in_handler);
    raise(SIGUSR1);
    if (fork() == 0) {
        kept = malloc(3402);
        exit(0);
    }
    wait(NULL);
}

/* The child has had no event when it makes another program. */
static void fork_and_vfork(void) {
    const pid_t child = fork();
    if (child == 0) {
        const pid_t other = vfork();
        if (other == 0) {
            execl("/bin/true", "true", (char *)NULL);
            _exit(3);
        }
        if (waitpid(other, NULL, 0) != other) _exit(3);
        for (int i = 0; i < 2000; ++i) kept = malloc(3303);
        exit(0);
    }
    waitpid(child, NULL, 0);
}

/* As servers do: the title stands where the command line was. */
static void fork_with_title(char *first_word) {
    strcpy(first_word, "corners: works");
    if (fork() == 0) {
        kept = malloc(3403);
        exit(0);
    }
    wait(NULL);
}

/* --- ends --- */

static void ends(const char *how) {
    for (int i = 0; i < 1000; ++i) kept = malloc(3501);
    if (!strcmp(how, "assert")) __assert_fail("planted", "no file", 1, "ends");
    if (!strcmp(how, "assert-perror")) __assert_perror_fail(EINVAL, "no file", 1, "ends");
    if (!strcmp(how, "stack")) __stack_chk_fail();
    if (!strcmp(how, "daemon") && daemon(1, 1) == 0) /* the child */
        syscall(SYS_kill, getpid(), SIGKILL);
    kept = malloc(3502);
}

/* --- resizes that fail --- */

static volatile size_t too_much = SIZE_MAX / 2;

static void fail_to_resize(int count) {
    char *own = malloc(3811);
    for (int i = 0; i < count; ++i)
        if (realloc(own, too_much)) exit(3);
    free(own);
}

/* --- sampling --- */

static void keep_many(int count) {
    void **objects = calloc((size_t)count, sizeof *objects);
    for (int i = 0; i < count; ++i) objects[i] = malloc(61);
    for (int i = 0; i < count; ++i) free(objects[i]);
}

/* --- alignments --- */

/* Not known to the compiler, which would warn of them. */
static volatile size_t asked[] = {0, 0, 1, 24, 96, 128};

static void align(void) {
    kept = memalign(asked[0], 3701);
    kept = aligned_alloc(asked[1], 3702);
    kept = memalign(asked[2], 3703);
    kept = memalign(asked[3], 3704);
    kept = memalign(asked[4], 3705);
    kept = aligned_alloc(asked[5], 3706);
    if (posix_memalign((void **)(uintptr_t)&kept, 8, 3707) != 0) exit(3);
}

int main(int count, char **words) {
    const char *what = count > 1 ? words[1] : "";
    const int n = count > 2 ? atoi(words[2]) : 0;
    kept = NULL;
    if (!strcmp(what, "limited")) limited();
    if (!strcmp(what, "holds-back")) holds_back();
    if (!strcmp(what, "locales")) locales();
    if (!strcmp(what, "coroutines")) coroutines();
    if (!strcmp(what, "no-rules")) no_rules();
    if (!strcmp(what, "late")) late(n);
    if (!strcmp(what, "exec-beside-thread")) exec_beside_thread(n);
    if (!strcmp(what, "fork-beside-exec")) fork_beside_exec(n);
    if (!strcmp(what, "miss-and-fork")) miss_and_fork();
    if (!strcmp(what, "title")) fork_with_title(words[0]);
    if (!strcmp(what, "ends")) ends(words[2]);
    if (!strcmp(what, "vanish")) vanish();
    if (!strcmp(what, "align")) align();
    if (!strcmp(what, "deep")) kept = (void *)(intptr_t)descend_and_allocate(n);
    if (!strcmp(what, "few-files")) few_files();
    if (!strcmp(what, "fail-to-resize")) fail_to_resize(n);
    if (!strcmp(what, "keep-many")) keep_many(n);
    if (!strcmp(what, "after-the-end")) free_many_after_the_end();
    if (!strcmp(what, "fork-and-vfork")) fork_and_vfork();
    if (!strcmp(what, "exec-among-threads")) exec_among_threads(words[0]);
    return 0;
}
