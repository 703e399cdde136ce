/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_OWN_TIME_H
#define TOFT_LAB_RECORD_OWN_TIME_H

#include "thread_records.h"

#include <stdint.h>

/* How much of the process's CPU time is the recorder's. */

/* To time each event would cost as much as to record it. A prime number: a program's calls come in
 * pairs, often. */
enum { timed_of_events = 61 };

/* An event of the calling thread that began then, and stands for so many. */
void time_event(struct recorded_thread *, uint64_t begin_ticks);
/* A new stack takes longer, and the first ones after a library was unloaded much longer, since all
 * modules are read again. These events are too few for a guess by one in so many: each is timed,
 * and none of them stands for others. */
void time_new_stack(struct recorded_thread *, uint64_t begin_ticks);

/* These need the recorder's lock. Since the calling thread's clock showed that: */
void count_writing_since(uint64_t begin_ns);
void write_time(void);
/* Ten times a second, since the program may be killed. */
void write_time_now_and_then(void);

void renew_own_time(void); /* in a forked child */

#endif
