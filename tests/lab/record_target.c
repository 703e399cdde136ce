/* SPDX-License-Identifier: MIT */
/* A program whose calls of the heap are known exactly: record_test.cpp looks for them by their
 * sizes. Compiled without optimisation of these calls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
    #define NOINLINE __attribute__((noinline))
#else
    #define NOINLINE __attribute__((noinline, noclone))
#endif

static void *volatile kept;

/* Addresses in the executable's file. */
static int find_bias(struct dl_phdr_info *info, size_t size, void *bias) {
    (void)size;
    *(uintptr_t *)bias = info->dlpi_addr;
    return 1;
}

static void tell_address(const char *name, void *(*function)(void *)) {
    uintptr_t bias = 0;
    dl_iterate_phdr(find_bias, &bias);
    printf("%s %lx\n", name, (unsigned long)((uintptr_t)function - bias));
}

static NOINLINE void *inner(void *p) {
    p = malloc(1001);
    kept = p;
    return p;
}

static NOINLINE void *middle(void *p) {
    p = inner(p);
    kept = p;
    return p;
}

static NOINLINE void *outer(void *p) {
    p = middle(p);
    kept = p;
    return p;
}

static NOINLINE void *release(void *p) {
    free(p);
    kept = NULL;
    return NULL;
}

static void known(void) {
    tell_address("inner", inner);
    tell_address("middle", middle);
    tell_address("outer", outer);
    tell_address("release", release);
    release(outer(NULL));
    void *p = realloc(malloc(1101), 100102);
    p = realloc(p, 1103);
    free(p);
    free(calloc(3, 1201));
    free(reallocarray(NULL, 4, 1301));
    free(realloc(NULL, 1401));
    if (posix_memalign(&p, 256, 1501) == 0) free(p);
    free(aligned_alloc(512, 1536));
    free(memalign(64, 1601));
    free(valloc(1701));
    p = malloc(1801);
    kept = realloc(p, 0);
    free(NULL);
    kept = malloc(1901); /* leaks */
}

static void *pairs(void *of_size) {
    for (int i = 0; i < 20000; ++i) {
        void *volatile own = malloc((size_t)of_size);
        free(own);
    }
    return NULL;
}

/* One object outlives many that go at once. */
static NOINLINE void one_stays(void) {
    void *volatile one = malloc(3005);
    for (int i = 0; i < 200; ++i) {
        void *volatile own[20];
        for (int k = 0; k < 20; ++k) own[k] = malloc(40);
        for (int k = 0; k < 20; ++k) free(own[k]);
    }
    free(one);
}

/* Objects that go at once, and half as many that stay. */
static void mixture(int count) {
    for (int i = 0; i < count; ++i) {
        void *volatile own = malloc(3001);
        free(own);
        if (i % 2 == 0) kept = malloc(3002);
        if (i % 4 == 0) kept = realloc(malloc(3003), 30004);
    }
}

/* At each moment one object or more lives. */
static NOINLINE void overlapping(void) {
    void *volatile before = malloc(4096);
    for (int i = 0; i < 1000; ++i) {
        void *volatile next = malloc(4096);
        free(before);
        before = next;
    }
    free(before);
}

/* Objects that grow and stay. */
static NOINLINE void growing(int count) {
    for (int i = 0; i < count; ++i) {
        kept = NULL;
        for (size_t bytes = 160; bytes <= 10240; bytes *= 2) kept = realloc(kept, bytes);
    }
}

static void threads(size_t count, void *(*routine)(void *)) {
    pthread_t started[256];
    for (size_t i = 0; i < count; ++i)
        pthread_create(&started[i], NULL, routine, (void *)(4000 + i));
    for (size_t i = 0; i < count; ++i) pthread_join(started[i], NULL);
}

/* A thread's object goes in the destructor of its key, which makes another for the next round. */
static pthread_key_t at_end;
static void free_own(void *own) {
    static int rounds;
    free(own);
    if (++rounds < 3) pthread_setspecific(at_end, malloc(4100));
}
static void *keep_own(void *unused) {
    pthread_setspecific(at_end, malloc(4100));
    return unused;
}
static void destructors(void) {
    pthread_t started;
    pthread_key_create(&at_end, free_own);
    pthread_create(&started, NULL, keep_own, NULL);
    pthread_join(started, NULL);
}

/* Beyond what a thread keeps for itself, so that what one leaves is soon another's. */
static void *moves(void *unused) {
    for (int i = 0; i < 30000; ++i) {
        void *volatile own = malloc(2000), *volatile behind = malloc(2000);
        own = realloc(own, 4000);
        free(own);
        free(behind);
    }
    return unused;
}

/* Every call and many sizes, in an order in which objects are freed long after they were made. */
static void sizes(int count) {
    static void *slots[256];
    unsigned random = 1;
    for (int i = 0; i < count; ++i) {
        random = random * 1103515245 + 12345;
        void **slot = &slots[random >> 24];
        const size_t size = 1 + (random >> 8) % ((random >> 16 & 7) == 0 ? 3000 : 200);
        if ((random >> 20 & 3) == 0) {
            *slot = realloc(*slot, size);
            continue;
        }
        free(*slot);
        if ((random >> 12 & 7) == 0)
            *slot = aligned_alloc(64, (size + 63) / 64 * 64);
        else
            *slot = random >> 15 & 1 ? malloc(size) : calloc(1, size);
    }
}

static void allocate_many(int count, size_t size) {
    for (int i = 0; i < count; ++i) kept = malloc(size);
}

static void allocate_at_end(void) { kept = malloc(5002); }

static void forks(void) {
    kept = malloc(7001);
    void *from_parent = malloc(7002);
    if (fork() == 0) {
        free(from_parent);
        kept = malloc(7003);
        exit(0);
    }
    wait(NULL);
    kept = malloc(7004);
    if (vfork() == 0) _exit(0);
    wait(NULL);
    kept = malloc(7005);
}

static void becomes(const char *self) {
    kept = malloc(6001);
    execl("/no/such/program", "no", (char *)NULL);
    kept = malloc(6002);
    execl(self, self, "known", (char *)NULL);
}

static void libraries(const char *first, const char *second) {
    const char *paths[] = {first, second};
    for (int i = 0; i < 6; ++i) {
        void *library = dlopen(paths[i % 2], RTLD_NOW | RTLD_LOCAL);
        if (!library) exit(3);
        void (*allocate)(void);
        void *symbol = dlsym(library, "allocate_in_library");
        memcpy(&allocate, &symbol, sizeof allocate);
        allocate();
        dlclose(library);
    }
}

/* Each time, all that the recorder knows of addresses goes. */
static void unloads(int times, const char *path) {
    for (int i = 0; i < times; ++i) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!library) exit(3);
        for (int j = 0; j < 500; ++j) {
            kept = malloc(3001);
            free(kept);
        }
        dlclose(library);
    }
}

/* A child that gives one of two references to a library back before anything else. */
static void closes_in_child(const char *path) {
    void *library = dlopen(path, RTLD_NOW);
    if (!library || dlopen(path, RTLD_NOW) != library) exit(3);
    kept = malloc(7101);
    if (fork() == 0) {
        dlclose(library);
        kept = malloc(7103);
        exit(0);
    }
    wait(NULL);
    kept = malloc(7102);
}

static void deep(void) {
    void *library = dlopen("libc.so.6", RTLD_NOW | RTLD_DEEPBIND);
    kept = malloc(8101);
    free(kept);
    dlclose(library);
}

static void allocate_in_handler(int signal) {
    (void)signal;
    kept = malloc(9001);
}

static jmp_buf back;

static void jump_back(int signal) {
    (void)signal;
    siglongjmp(back, 1);
}

static void signals(void) {
    signal(SIGUSR1, allocate_in_handler);
    raise(SIGUSR1);
    kept = malloc(9002);
    signal(SIGUSR2, jump_back);
    if (sigsetjmp(back, 1) == 0) raise(SIGUSR2);
    kept = malloc(9003);
}

/* As servers do; and then all their numbers are another file's. */
static void close_all(const char *own_file) {
    allocate_many(40000, 8001);
    for (int i = 3; i < 1024; ++i) close(i);
    const int own = open(own_file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (int i = own + 1; i < 1024; ++i) dup2(own, i);
    allocate_many(40000, 8001);
}

/* Random stacks: each leaf is another. */
static NOINLINE unsigned descend(unsigned random, int levels) {
    random = random * 1664525u + 1013904223u;
    if (levels == 0) {
        void *volatile p = malloc(16 + (random >> 24));
        free(p);
        return random;
    }
    switch (random >> 30) {
    case 0:
        return descend(random, levels - 1) + 1;
    case 1:
        return descend(random, levels - 1) + 2;
    case 2:
        return descend(random, levels - 1) + 3;
    default:
        return descend(random, levels - 1) + 4;
    }
}

static void *stacks(void *seed) {
    unsigned random = (unsigned)(uintptr_t)seed;
    for (int i = 0; i < 3000; ++i) random = descend(random, 30);
    return NULL;
}

static void memory(size_t count) {
    pthread_t started[256];
    for (size_t i = 0; i < count; ++i) pthread_create(&started[i], NULL, stacks, (void *)(i + 1));
    for (size_t i = 0; i < count; ++i) pthread_join(started[i], NULL);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld\n", usage.ru_maxrss);
}

static long long cpu_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* A tenth of a second of the thread's CPU time. */
static void *works(void *unused) {
    const long long end = cpu_ns(CLOCK_THREAD_CPUTIME_ID) + 100000000;
    while (cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end) {}
    return unused;
}

static void works_and_forks(void) {
    works(NULL);
    if (fork() == 0) {
        kept = malloc(7003);
        exit(0);
    }
    wait(NULL);
}

static void many_pairs(int times) {
    for (int i = 0; i < times; ++i) pairs((void *)4000);
}

static void tell_cpu(void) { printf("%lld\n", cpu_ns(CLOCK_PROCESS_CPUTIME_ID)); }

int main(int count, char **words) {
    const char *what = count > 1 ? words[1] : "";
    const int n = count > 2 ? atoi(words[2]) : 0;
    if (!strcmp(what, "known")) known();
    if (!strcmp(what, "many")) pairs((void *)4000);
    if (!strcmp(what, "destructors")) destructors();
    if (!strcmp(what, "threads")) threads((size_t)n, pairs);
    if (!strcmp(what, "moves")) threads((size_t)n, moves);
    if (!strcmp(what, "sizes")) sizes(n);
    if (!strcmp(what, "mixture")) mixture(n);
    if (!strcmp(what, "overlapping")) overlapping();
    if (!strcmp(what, "growing")) growing(n);
    if (!strcmp(what, "one_stays")) one_stays();
    if (!strcmp(what, "fork")) forks();
    if (!strcmp(what, "exec")) becomes(words[0]);
    if (!strcmp(what, "libraries")) libraries(words[2], words[3]);
    if (!strcmp(what, "closes_in_child")) closes_in_child(words[2]);
    if (!strcmp(what, "deepbind")) deep();
    if (!strcmp(what, "signals")) signals();
    if (!strcmp(what, "close")) close_all(words[2]);
    if (!strcmp(what, "memory")) memory((size_t)n);
    if (!strcmp(what, "works")) threads((size_t)n, works);
    if (!strcmp(what, "works_and_forks")) works_and_forks();
    if (!strcmp(what, "pairs") || !strcmp(what, "pairs_killed")) many_pairs(n);
    if (!strcmp(what, "unloads")) unloads(n, words[3]);
    if (!strcmp(what, "works") || !strcmp(what, "pairs") || !strcmp(what, "unloads")) tell_cpu();
    if (!strcmp(what, "pairs_killed")) raise(SIGKILL);
    if (!strcmp(what, "leave") || !strcmp(what, "abort")) allocate_many(n, 5001);
    if (!strcmp(what, "leave")) _exit(5);
    if (!strcmp(what, "quick")) at_quick_exit(allocate_at_end);
    if (!strcmp(what, "quick")) allocate_many(n, 5001);
    if (!strcmp(what, "quick")) quick_exit(6);
    if (!strcmp(what, "abort")) abort();
    if (!strcmp(what, "kill") || !strcmp(what, "crash")) allocate_many(n, 5001);
    if (!strcmp(what, "kill")) raise(SIGKILL);
    if (!strcmp(what, "crash")) raise(SIGSEGV);
    return 0;
}
