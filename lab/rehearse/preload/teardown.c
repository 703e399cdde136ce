/* SPDX-License-Identifier: MIT */
#include "teardown.h"

#include <stdbool.h>
#include <time.h>

enum { pause_ns = 50000, read_own_ns = 100000 };

struct teardown teardown;

static struct {
    uint64_t begin_ns, begin_ticks, measure_at_ns;
} pace;

static uint64_t now_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t now_ticks(void) { return __builtin_ia32_rdtsc(); }

/* How long a tick is, is known better and better. */
static void measure_pace(void) {
    const uint64_t ns = now_ns(CLOCK_MONOTONIC) - pace.begin_ns;
    if (ns < pace.measure_at_ns) return;
    pace.measure_at_ns = 2 * ns;
    teardown.ns_per_tick = (double)ns / (double)(now_ticks() - pace.begin_ticks);
    teardown.pause_ticks = (uint64_t)(pause_ns / teardown.ns_per_tick);
    teardown.read_own_ticks = (uint64_t)(read_own_ns / teardown.ns_per_tick);
}

static __attribute__((noinline, cold)) void read_own_clock_slow(uint64_t now) {
    const uint64_t own_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
    const bool was_pause = teardown.last != 0 && now - teardown.last >= teardown.pause_ticks &&
                           own_ns - teardown.own_ns >= pause_ns + read_own_ns;
    if (was_pause) teardown.sum = teardown.frees = 0;
    teardown.own_ns = own_ns;
    teardown.read_at = now;
}

void read_teardown_clock(void) {
    const uint64_t now = now_ticks();
    if (now - teardown.read_at >= teardown.read_own_ticks) read_own_clock_slow(now);
    const uint64_t frees = teardown.figures->frees_a_reading, all = frees + teardown.others;
    if (teardown.last != 0 && now - teardown.last < teardown.pause_ticks) {
        teardown.sum += (now - teardown.last) * frees / all;
        teardown.frees += frees;
    }
    teardown.others = 0;
    teardown.last = now;
    teardown.until_reading = teardown.figures->frees_a_reading;
    ++teardown.figures->readings;
}

void end_teardown(void) {
    measure_pace();
    teardown.figures->teardown_ns += (double)teardown.sum * teardown.ns_per_tick;
    teardown.figures->teardown_frees += teardown.frees;
    forget_teardown();
}

/* A call takes the least of some rounds, since others may have the processor meanwhile. */
static double ticks_of(void (*what)(void *), void *object) {
    enum { rounds = 16, calls = 1000 };
    void (*volatile chosen)(void *) = what;
    uint64_t least = UINT64_MAX;
    for (int i = 0; i != rounds; ++i) {
        const uint64_t begin = now_ticks();
        for (int k = 0; k != calls; ++k) chosen(object);
        const uint64_t ticks = now_ticks() - begin;
        if (ticks < least) least = ticks;
    }
    return (double)least / calls;
}

static void only_read(void *unused) {
    (void)unused;
    read_teardown_clock();
}

void measure_costs(void (*free_one)(void *), void (*own)(void *), void *object) {
    const uint64_t frees = teardown.figures->frees, readings = teardown.figures->readings;
    const double of_own = ticks_of(own, object);
    measure_pace();
    const double reading = ticks_of(only_read, object);
    teardown.until_reading = UINT32_MAX; /* so that a free is what it mostly is */
    const double free = ticks_of(free_one, object);
    teardown.figures->reading_ns = reading * teardown.ns_per_tick;
    teardown.figures->free_ns = (free - of_own) * teardown.ns_per_tick;
    teardown.figures->frees = frees;
    teardown.figures->readings = readings;
    forget_teardown();
}

void start_teardown_clock(struct toft_rehearsed *figures) {
    teardown.figures = figures;
    pace.begin_ns = now_ns(CLOCK_MONOTONIC);
    pace.begin_ticks = now_ticks();
}
