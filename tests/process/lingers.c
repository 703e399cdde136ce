/* SPDX-License-Identifier: MIT */
/* A library whose destructor, the last of the process, waits until threads have gone on for a
   while: what they use must still be there. */
#include <sched.h>
#include <stdatomic.h>

#include "lingers.h"

enum { more_rounds = 200 };

static atomic_long rounds;

void count_round(void) { rounds++; }
long counted_rounds(void) { return rounds; }

__attribute__((destructor)) static void linger(void) {
    long then = rounds;
    while (rounds < then + more_rounds) sched_yield();
}
