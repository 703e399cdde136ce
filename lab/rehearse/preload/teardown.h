/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_REHEARSE_TEARDOWN_H
#define TOFT_LAB_REHEARSE_TEARDOWN_H

#include "verify/plan.h"

#include <stdint.h>

/* How long a program takes for the frees behind which nothing more is placed in the arena, until
 * that holds nothing: what it would gain without them.
 *
 * The clock is read at some of them. Where it has gone far in between, the program has done
 * something else, and its teardown begins behind that; or another process had the processor, which
 * the thread's own clock knows. That one is read now and then, since the system must be asked. */

struct teardown {
    struct toft_rehearsed *figures; /* of the plan */
    double ns_per_tick, own_reading_ns;
    uint64_t pause_ticks, read_own_ticks;
    uint64_t last; /* when the clock was read in this life; 0: not yet */
    uint64_t sum;  /* of the ticks between such moments */
    uint64_t frees;
    uint32_t until_reading;
    uint32_t others;          /* that the heap has freed since the last reading */
    uint64_t read_at, own_ns; /* the thread's clock, when it was read */
};

extern struct teardown teardown;

/* Knows the clock's pace from now on. */
void start_teardown_clock(struct toft_rehearsed *);
void read_teardown_clock(void);

/* An object comes into the arena: this was no teardown yet. */
static inline void forget_teardown(void) { teardown.last = teardown.sum = teardown.frees = 0; }

/* One goes. */
static inline void note_free(void) {
    ++teardown.figures->frees;
    if (teardown.last == 0 || --teardown.until_reading == 0) read_teardown_clock();
}

/* The heap frees one: its share isn't gained when the arena's frees go. */
static inline void note_other_free(void) { ++teardown.others; }

/* The arena holds nothing. */
void end_teardown(void);

/* What this takes, and the way to the arena, which aren't the program's. The first frees this
 * object of the arena again and again, the second makes one and frees it; the others are what the
 * program would call instead. */
struct compared_calls {
    void (*free_one)(void *object), (*place_one)(void *unused);
    void (*own_free)(void *object), (*own_pair)(void *unused);
};
void measure_costs(const struct compared_calls *, void *object);

#endif
