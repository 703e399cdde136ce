/* SPDX-License-Identifier: MIT */
#include "own_time.h"

#include "output.h"

/* An event of more ticks was interrupted by another program. */
static const uint64_t event_ticks_most = 1 << 17, new_stack_ticks_most = 1 << 21;

static uint64_t writing_ns; /* CPU time */
static uint64_t written_ns; /* of the process, when the file last said it */

void time_event(struct recorded_thread *t, uint64_t begin_ticks) {
    const uint64_t ticks = ticks_now() - begin_ticks;
    if (ticks < event_ticks_most) t->event_ticks += ticks * timed_of_events;
    t->until_timed = timed_of_events;
}

void time_new_stack(struct recorded_thread *t, uint64_t begin_ticks) {
    const uint64_t ticks = ticks_now() - begin_ticks;
    if (ticks < new_stack_ticks_most) t->event_ticks += ticks;
}

void count_writing_since(uint64_t begin_ns) { writing_ns += thread_nanoseconds() - begin_ns; }

void write_time(void) {
    struct toft_time_payload payload = {.processor_ns = process_nanoseconds(),
                                        .writing_ns = writing_ns};
    for (const struct recorded_thread *t = all_thread_records(); t; t = t->next)
        payload.event_ticks += t->event_ticks;
    written_ns = payload.processor_ns;
    const struct part part = {&payload, sizeof payload};
    write_block(toft_block_time, 1, &part, 1);
}

/* A vfork's child has a clock of its own. */
void write_time_now_and_then(void) {
    const uint64_t step_ns = 100 * 1000 * 1000;
    if (output_has_file() && output_is_of_this_process() &&
        process_nanoseconds() - written_ns >= step_ns)
        write_time();
}

void renew_own_time(void) { writing_ns = written_ns = 0; }
