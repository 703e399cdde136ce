/* SPDX-License-Identifier: MIT */
/* A daemon whose filter of system calls kills it at any other than those that libtoft-malloc's man
 * page names, and those that the C library makes for threads. Status 77: it can't have a filter. */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

enum { not_allowed = 77 };

/* First the library's. The C library's are for threads, and for their end. */
static const int allowed[] = {
    SYS_mmap,          SYS_munmap,         SYS_mremap,    SYS_madvise,
    SYS_getrusage,     SYS_membarrier,     SYS_futex,     SYS_sched_getaffinity,
    SYS_prlimit64,     SYS_sched_yield,    SYS_nanosleep, SYS_clock_nanosleep,
    SYS_clock_gettime, SYS_clone,          SYS_mprotect,  SYS_set_robust_list,
    SYS_rt_sigaction,  SYS_rt_sigprocmask, SYS_gettid,    SYS_exit,
    SYS_exit_group,
#ifdef SYS_clone3
    SYS_clone3,
#endif
#ifdef SYS_rseq
    SYS_rseq,
#endif
};
enum { count = sizeof allowed / sizeof *allowed };

static void filter_calls(void) {
    struct sock_filter words[2 * count + 2];
    struct sock_filter *end = words;
    *end++ =
        (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int i = 0; i < count; i++) {
        *end++ = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ, (unsigned)allowed[i], 0, 1);
        *end++ = (struct sock_filter)BPF_STMT(BPF_RET, SECCOMP_RET_ALLOW);
    }
    *end++ = (struct sock_filter)BPF_STMT(BPF_RET, SECCOMP_RET_KILL_PROCESS);
    const struct sock_fprog filter = {(unsigned short)(end - words), words};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        exit(not_allowed);
}

/* Objects of one size, some of them filled, freed in another order than they were made in. */
static void use_objects(size_t size, size_t bytes) {
    size_t number = bytes / size;
    char **objects = malloc(number * sizeof *objects);
    if (objects == NULL) abort();
    for (size_t i = 0; i < number; i++) {
        objects[i] = malloc(size);
        if (objects[i] == NULL) abort();
        if (i % 3 != 0) memset(objects[i], 1, size);
    }
    for (size_t i = 0; i < number; i++) free(objects[i * 7919 % number]);
    free(objects);
}

static void *use_all(void *arg) {
    (void)arg;
    enum { bytes = 24 << 20 };
    for (size_t size = 61; size < bytes / 2; size *= 5) use_objects(size, bytes);
    char *growing = NULL;
    for (size_t size = 1000; size < bytes; size *= 3) {
        growing = realloc(growing, size);
        if (growing == NULL) abort();
    }
    return growing;
}

/* Which it does while the program allocates. */
static void wait_until_idle_goes_back(void) {
    size_t most = 0, reserved = mallinfo2().arena;
    while (reserved >= most) {
        most = reserved;
        nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
        use_objects(61, 1 << 20);
        reserved = mallinfo2().arena;
    }
}

int main(void) {
    filter_calls();
    enum { threads = 3 };
    pthread_t others[threads];
    void *left[threads];
    for (int i = 0; i < threads; i++)
        if (pthread_create(&others[i], NULL, use_all, NULL) != 0) abort();
    free(use_all(NULL));
    for (int i = 0; i < threads; i++) {
        pthread_join(others[i], &left[i]);
        free(left[i]);
    }
    wait_until_idle_goes_back();
    free(use_all(NULL));
    malloc_trim(0);
    return 0;
}
