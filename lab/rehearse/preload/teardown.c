/* SPDX-License-Identifier: MIT */
#include "teardown.h"

#include <stdbool.h>
#include <time.h>

enum { pause_ns = 50000, read_own_ns = 100000 };

struct teardown teardown;

static struct {
    uint64_t begin_ns, begin_ticks, measure_at_ticks;
} pace;

static uint64_t now_ns(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t now_ticks(void) { return __builtin_ia32_rdtsc(); }

/* How long a tick is, is known better and better. */
static void measure_pace(uint64_t ticks) {
    const uint64_t so_far = ticks - pace.begin_ticks;
    if (so_far < pace.measure_at_ticks) return;
    pace.measure_at_ticks = 2 * so_far;
    teardown.ns_per_tick = (double)(now_ns(CLOCK_MONOTONIC) - pace.begin_ns) / (double)so_far;
    teardown.pause_ticks = (uint64_t)(pause_ns / teardown.ns_per_tick);
    teardown.read_own_ticks = (uint64_t)(read_own_ns / teardown.ns_per_tick);
}

/* What the thread has used since the last reading, less the time up to the last free, was used
 * behind that. */
static __attribute__((noinline, cold)) void read_own_clock_slow(uint64_t now, bool was_long) {
    const uint64_t own_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
    const double used = (double)(own_ns - teardown.own_ns);
    const double before = (double)(teardown.last - teardown.read_at) * teardown.ns_per_tick;
    if (was_long && teardown.last >= teardown.read_at && used - before >= pause_ns)
        teardown.sum = teardown.frees = 0;
    teardown.own_ns = own_ns;
    teardown.read_at = now;
    teardown.figures->clock_ns += teardown.own_reading_ns;
}

void read_teardown_clock(void) {
    const uint64_t now = now_ticks();
    const bool was_long = teardown.last != 0 && now - teardown.last >= teardown.pause_ticks;
    if (was_long || now - teardown.read_at >= teardown.read_own_ticks)
        read_own_clock_slow(now, was_long);
    const uint64_t frees = teardown.figures->frees_a_reading, all = frees + teardown.others;
    if (teardown.last != 0 && !was_long) {
        teardown.sum += (now - teardown.last) * frees / all;
        teardown.frees += frees;
    }
    teardown.others = 0;
    teardown.last = now;
    teardown.until_reading = teardown.figures->frees_a_reading;
    teardown.figures->clock_ns += teardown.figures->reading_ns;
}

void end_teardown(void) {
    measure_pace(now_ticks());
    teardown.figures->clock_ns += teardown.figures->reading_ns;
    teardown.figures->teardown_ns += (double)teardown.sum * teardown.ns_per_tick;
    teardown.figures->teardown_frees += teardown.frees;
    forget_teardown();
}

/* A call takes the least of some rounds, since others may have the processor meanwhile. */
static double ticks_of(void (*what)(void *), void *object) {
    enum { rounds = 16, calls = 100 };
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

static void only_read_own(void *unused) {
    (void)unused;
    read_own_clock_slow(now_ticks(), false);
}

void measure_costs(const struct compared_calls *calls, void *object) {
    struct toft_rehearsed *f = teardown.figures;
    const struct toft_rehearsed former = *f;
    const uint64_t begin_ns = now_ns(CLOCK_THREAD_CPUTIME_ID);
    const double own_free = ticks_of(calls->own_free, object);
    const double own_pair = ticks_of(calls->own_pair, object);
    measure_pace(now_ticks());
    const double reading = ticks_of(only_read, object),
                 own_reading = ticks_of(only_read_own, object);
    teardown.last = 1;
    teardown.until_reading = UINT32_MAX; /* so that a free is what it mostly is */
    const double free = ticks_of(calls->free_one, object);
    const double pair = ticks_of(calls->place_one, object); /* which reads the clock each time */
    forget_teardown();
    *f = former;
    const double beside = pair - reading - own_pair;
    f->reading_ns = reading * teardown.ns_per_tick;
    f->free_ns = (free - own_free) * teardown.ns_per_tick;
    f->object_ns = beside > 0 ? beside * teardown.ns_per_tick : 0;
    teardown.own_reading_ns = own_reading * teardown.ns_per_tick;
    f->clock_ns += (double)(now_ns(CLOCK_THREAD_CPUTIME_ID) - begin_ns);
}

void start_teardown_clock(struct toft_rehearsed *figures) {
    teardown.figures = figures;
    pace.begin_ns = now_ns(CLOCK_MONOTONIC);
    pace.begin_ticks = now_ticks();
}
