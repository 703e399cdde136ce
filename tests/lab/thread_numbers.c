/* SPDX-License-Identifier: MIT */
/* The recorder gives no thread a number that no reader has a place for: more threads than that take
 * too long to start, so its table is asked. */
#include "record/preload/output.h"
#include "record/preload/stack_tree.h"
#include "record/preload/thread_records.h"

#include <stdio.h>

/* What of the recorder isn't here. */
void write_block(enum toft_block_kind kind, uint32_t records, const struct part *parts,
                 size_t count) {
    (void)kind, (void)records, (void)parts, (void)count;
}
struct part compressed(const void *data, size_t bytes) { return (struct part){data, bytes}; }
void take_compressed(void) {}
void write_new_nodes(void) {}

int main(void) {
    uint32_t count = 0;
    for (struct recorded_thread *t; count <= toft_threads_most && (t = take_thread_record(0));
         ++count) {
        if (t->index != count) return 3;
        give_back_thread_record(t);
    }
    printf("%u threads\n", count);
    /* One that is there already goes on. */
    const struct recorded_thread *last = take_thread_record(toft_threads_most);
    return count == toft_threads_most && last && last->index == toft_threads_most - 1 ? 0 : 1;
}
