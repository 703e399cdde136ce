/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_EVENTS_H
#define TOFT_LAB_RECORD_EVENTS_H

#include "record/format.h"
#include "record/guesses.h"

/* A thread's events until they are written as a block: one column for each of their parts, filled
 * as they come. */

/* How far the columns are filled, and what the next differences are taken to. */
struct filling {
    uint32_t used[toft_column_count];
    uint32_t counts[toft_event_kinds];
    uint64_t requested_bytes;
    uint64_t first_time, last_time;
    uint64_t last_address; /* of a free, that was written as such */
    uint32_t touches;      /* of addresses, by all events */
    uint32_t last_stack;
};

struct events {
    uint32_t capacity; /* in events */
    uint32_t time_shift;
    struct toft_guesses guesses;
    void *guesses_memory;
    /* For some addresses, when this block touched them last: (address / 8 << 19 | touch), at a
     * place that follows from the address. */
    uint64_t *touched;
    struct toft_maker *makers; /* of the object that each touch touched */
    unsigned char *columns[toft_column_count];
    /* An event is complete at the moment when the other filling becomes the current one: a handler
     * that jumps out of the recorder, and a thread that reads all others' events, find none that
     * is half-written. */
    struct filling fillings[2];
    _Atomic(struct filling *) current;
};

struct event {
    enum toft_event_kind kind;
    uint32_t stack;
    uint64_t ticks;
    uint64_t address;
    uint64_t old_address;
    uint64_t bytes;
    uint32_t alignment_log2;
};

/* Memory that so many events need at most; up to toft_block_events_most of them. */
size_t events_bytes(uint32_t capacity);

void prepare_events(struct events *, uint32_t capacity, unsigned char *memory);
bool events_are_full(const struct events *);
uint32_t count_events(const struct events *);
void add_event(struct events *, const struct event *);
void drop_events(struct events *);

/* Writes what there is as a block, and returns how many events that are. Needs the recorder's lock;
 * the events stay. */
uint32_t write_events(const struct events *, uint32_t thread);

#endif
