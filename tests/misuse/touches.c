/* SPDX-License-Identifier: MIT */
/* Touches memory that it has no right to, as its argument names: a tool must find it. */
#include <stdio.h>
#include <string.h>

#include <toft/arena.h>

#include "misuse/touch.h"
#include "support/named_functions.h"

static toft_arena arena;

static volatile char *use(size_t bytes) {
    char *memory = toft_arena_alloc(&arena, bytes, 8);
    if (memory == NULL) return NULL;
    memset(memory, 'x', bytes);
    return memory;
}

static void nothing(void) {
    toft_savepoint start = toft_arena_save(&arena);
    for (int i = 0; i < 3; i++) {
        touch(use(100) + 99);
        touch(use(100000) + 99999);
        volatile char *last = use(13);
        touch(last + 12);
        last = toft_arena_resize(&arena, (void *)last, 13, 3000, 8);
        touch(last + 2999);
        last = toft_arena_resize(&arena, (void *)last, 3000, 5, 8);
        touch(last + 4);
        if (!toft_arena_free_last(&arena, (void *)last, 5)) puts("not last");
        touch(use(100) + 99);
        if (i == 0) toft_arena_rewind(&arena, start);
        if (i == 1) toft_arena_reset(&arena);
    }
    static char buffer[4096];
    toft_arena_release(&arena);
    toft_arena_init(
        &arena, &(toft_arena_options){.first_buffer = buffer, .first_buffer_bytes = sizeof buffer});
    for (int i = 0; i < 2; i++) {
        touch(use(100) + 99);
        touch(use(10000) + 9999);
        toft_arena_release(&arena);
    }
    memset(buffer, 'z', sizeof buffer);
}

static void after_reset(void) {
    volatile char *memory = use(100);
    toft_arena_reset(&arena);
    touch(memory);
}

static void after_rewind(void) {
    use(100);
    toft_savepoint point = toft_arena_save(&arena);
    volatile char *memory = use(100);
    toft_arena_rewind(&arena, point);
    touch(memory + 99);
}

static void after_release(void) {
    volatile char *memory = use(100);
    toft_arena_release(&arena);
    touch(memory);
}

static void in_a_kept_chunk(void) {
    use(100);
    volatile char *memory = use(100000);
    toft_arena_reset(&arena);
    use(100);
    touch(memory + 50000);
}

static void after_free_last(void) {
    volatile char *memory = use(100);
    if (!toft_arena_free_last(&arena, (void *)memory, 100)) puts("not last");
    touch(memory);
}

static void behind_the_end(void) { touch(use(100) + 100); }

static void behind_the_end_with_a_neighbour(void) {
    volatile char *memory = use(104);
    use(100);
    touch(memory + 104);
}

static void before_the_begin(void) {
    use(100);
    touch(use(100) - 1);
}

static void behind_a_shrunk_end(void) {
    volatile char *memory = use(100);
    use(8);
    memory = toft_arena_resize(&arena, (void *)memory, 100, 40, 8);
    touch(memory + 40);
}

static void what_was_moved(void) {
    volatile char *memory = use(100);
    use(8);
    touch(toft_arena_resize(&arena, (void *)memory, 100, 1000, 8));
    touch(memory);
}

static void behind_the_end_in_a_first_buffer(void) {
    static char buffer[4096];
    toft_arena_init(
        &arena, &(toft_arena_options){.first_buffer = buffer, .first_buffer_bytes = sizeof buffer});
    touch(use(100) + 100);
}

static const struct named_function touches[] = {
    NAMED(nothing),          NAMED(after_reset),
    NAMED(after_rewind),     NAMED(after_release),
    NAMED(in_a_kept_chunk),  NAMED(after_free_last),
    NAMED(behind_the_end),   NAMED(behind_the_end_with_a_neighbour),
    NAMED(before_the_begin), NAMED(behind_a_shrunk_end),
    NAMED(what_was_moved),   NAMED(behind_the_end_in_a_first_buffer),
};

int main(int argc, char **argv) {
    call_named(touches, sizeof touches / sizeof *touches, argc, argv);
    return 0;
}
