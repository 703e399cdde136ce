/* SPDX-License-Identifier: MIT */
/* Random stacks of functions with all kinds of frames. At each allocation it writes what glibc's
 * backtrace() sees, so that record_walks_test.cpp can compare. Compiled with several options. */
#define _GNU_SOURCE
#include <alloca.h>
#include <execinfo.h>
#include <link.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __clang__
    #define NOINLINE __attribute__((noinline))
#else
    #define NOINLINE __attribute__((noinline, noclone))
#endif

enum { frames_most = 256, allocations = 2000, deepest = 24 };

static uint64_t random_state;
static unsigned made;
static volatile unsigned sum;
static void *volatile kept;
static FILE *out;
static char out_buffer[1 << 16];

static unsigned chance(unsigned below) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(random_state >> 33) % below;
}

static void go_on(int left);

/* The recorder's innermost frame is the call of malloc here, which backtrace can't see. */
static NOINLINE void leaf(void) {
    void *frames[frames_most];
    const int count = backtrace(frames, frames_most);
    fprintf(out, "stack %u", 10000 + made);
    for (int i = 1; i < count; ++i) fprintf(out, " %lx", (unsigned long)(uintptr_t)frames[i]);
    fputc('\n', out);
    kept = malloc(10000 + made++);
    free(kept);
}

static NOINLINE void plain(int left) {
    go_on(left);
    sum += (unsigned)left;
}

static NOINLINE void large_frame(int left) {
    volatile char room[5000];
    room[left] = (char)left;
    go_on(left);
    sum += (unsigned)room[left];
}

static NOINLINE void realigned(int left) {
    _Alignas(128) volatile char room[256];
    room[left] = (char)left;
    go_on(left);
    sum += (unsigned)room[left];
}

static NOINLINE void moving_frame(int left) {
    volatile char *room = alloca(16 + (size_t)chance(1000));
    room[0] = (char)left;
    go_on(left);
    sum += (unsigned)room[0];
}

static NOINLINE void moving_realigned(int left) {
    _Alignas(64) volatile char aligned[64];
    volatile char *room = alloca(16 + (size_t)chance(1000));
    room[0] = aligned[left] = (char)left;
    go_on(left);
    sum += (unsigned)(room[0] + aligned[left]);
}

static NOINLINE void many_registers(int left) {
    unsigned a = chance(9), b = chance(9), c = chance(9), d = chance(9), e = chance(9);
    for (unsigned i = 0; i < 2; ++i) {
        if (i == chance(2)) go_on(left);
        a += b * c, b ^= d + e, c += a, d -= b, e += c;
    }
    sum += a + b + c + d + e;
}

static NOINLINE void variadic(int left, ...) {
    va_list words;
    va_start(words, left);
    go_on(left);
    sum += va_arg(words, unsigned);
    va_end(words);
}

static NOINLINE void tail_call(int left) { go_on(left); }

static int compare(const void *a, const void *b) {
    const int left = *(const int *)a;
    if (made % 2 == 0) go_on(left);
    return (a > b) - (a < b);
}

static NOINLINE void through_library(int left) {
    int two[] = {left, left};
    qsort(two, 2, sizeof *two, compare);
    sum += (unsigned)two[0];
}

static NOINLINE void exits_early(int left) {
    if (left % 2) {
        go_on(left);
        return;
    }
    volatile char room[300];
    room[left] = 1;
    go_on(left);
    sum += (unsigned)room[left];
}

static NOINLINE void go_on(int left) {
    if (left <= 0 || made >= allocations) {
        leaf();
        return;
    }
    const int next = left - 1;
    switch (chance(11)) {
    case 0:
        plain(next);
        break;
    case 1:
        large_frame(next);
        break;
    case 2:
        realigned(next);
        break;
    case 3:
        moving_frame(next);
        break;
    case 4:
        moving_realigned(next);
        break;
    case 5:
        many_registers(next);
        break;
    case 6:
        variadic(next, 1u, 2.0);
        break;
    case 7:
        tail_call(next);
        break;
    case 8:
        through_library(next);
        break;
    case 9:
        exits_early(next);
        break;
    default:
        leaf();
        plain(next);
    }
}

static int write_module(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size, (void)unused;
    fprintf(out, "module %lx %s\n", (unsigned long)info->dlpi_addr, info->dlpi_name);
    return 0;
}

int main(int count, char **words) {
    if (count != 3) return 2;
    random_state = strtoull(words[1], NULL, 10);
    out = fopen(words[2], "w");
    if (!out) return 3;
    setvbuf(out, out_buffer, _IOFBF, sizeof out_buffer);
    void *frames[1];
    backtrace(frames, 1); /* loads a library */
    dl_iterate_phdr(write_module, NULL);
    while (made < allocations) go_on((int)chance(deepest));
    return fclose(out) == 0 ? 0 : 3;
}
