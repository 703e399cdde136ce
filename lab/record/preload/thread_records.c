/* SPDX-License-Identifier: MIT */
#include "thread_records.h"

#include "fresh_memory.h"

#include <sys/syscall.h>
#include <unistd.h>

static struct recorded_thread *all, *unused;
static size_t record_count;
static uint32_t thread_count; /* that have events of their own in the file */

struct recorded_thread *all_thread_records(void) { return all; }

/* The first threads get room for long blocks, which compress best; thousands of them, for short
 * ones, so that all of them together stay within the bound. */
static uint32_t capacity_for(size_t nth) {
    if (nth == 0) return toft_block_events_most;
    if (nth < 4) return 1 << 15;
    if (nth < 48) return 1 << 13;
    return nth < 512 ? 1 << 10 : toft_block_events_least;
}

static size_t stack_bytes(void) { return 2 * (size_t)frames_most * sizeof(struct frame); }

static struct recorded_thread *new_record(void) {
    const uint32_t capacity = capacity_for(record_count);
    const size_t bytes = sizeof(struct recorded_thread) + stack_bytes() + events_bytes(capacity);
    unsigned char *memory = fresh_memory(bytes);
    if (!memory) return NULL;
    struct recorded_thread *t = (struct recorded_thread *)(void *)memory;
    t->stack.frames = (struct frame *)(void *)(memory + sizeof *t);
    t->stack.fresh = t->stack.frames + frames_most;
    prepare_events(&t->events, capacity, memory + sizeof *t + stack_bytes());
    ++record_count;
    t->next = all;
    all = t;
    return t;
}

static void settle(struct recorded_thread *t, uint32_t known) {
    t->index = known ? known - 1 : thread_count++;
    t->is_announced = false;
    t->end_rounds = 0;
    t->system_id = (uint64_t)syscall(SYS_gettid);
    t->seen_change = 0;
    t->written = 0;
    t->stack.count = 0;
    t->stack.low = t->stack.high = 0;
}

struct recorded_thread *take_thread_record(uint32_t known) {
    if (!known && thread_count == toft_threads_most) return NULL;
    struct recorded_thread *t = unused;
    if (t)
        unused = t->next_unused;
    else
        t = new_record();
    if (t) settle(t, known);
    return t;
}

void give_back_thread_record(struct recorded_thread *t) {
    t->next_unused = unused;
    unused = t;
}

void renew_thread_records(struct recorded_thread *own) {
    unused = NULL;
    thread_count = 0;
    for (struct recorded_thread *t = all; t; t = t->next) {
        drop_events(&t->events);
        t->event_ticks = 0;
        t->stack.cut = t->stack.switched = 0;
        if (t != own) give_back_thread_record(t);
    }
    if (own) settle(own, 0);
}
