/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_THREAD_RECORDS_H
#define TOFT_LAB_RECORD_THREAD_RECORDS_H

#include "events.h"
#include "stack.h"

/* What the recorder keeps of each thread. A record is used again when its thread has ended, and
 * never given back. All calls need the recorder's lock, but for who forks. */

struct recorded_thread {
    struct recorded_thread *next; /* all that there ever were */
    struct recorded_thread *next_unused;
    struct call_stack stack;
    struct events events;
    uint64_t event_ticks; /* that its events took, in the recorder */
    uint32_t until_timed; /* events */
    unsigned seen_change;
    unsigned seen_written; /* how often all events had been written when these began */
    uint32_t written;      /* events of these that are in the file */
    uint32_t index;        /* in the file */
    unsigned end_rounds;   /* in which destructors of its keys have run */
    bool is_announced;
    char announced_name[16];
    uint64_t system_id;
};

/* The first of all; the others follow it. */
struct recorded_thread *all_thread_records(void);

/* For the calling thread, without events. `known` is 1 more than the index that it had when it gave
 * another one back; 0: it is new. NULL: there is no memory, or toft_threads_most have been there
 * already. */
struct recorded_thread *take_thread_record(uint32_t known);
void give_back_thread_record(struct recorded_thread *);

/* In a forked child: none but the calling thread's own, if it has one, is in use, and nothing of
 * the parent's stays in them. */
void renew_thread_records(struct recorded_thread *own);

#endif
