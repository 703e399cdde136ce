/* SPDX-License-Identifier: MIT */
/* Breaks the one rule of the interface that its argument names. */
#include <stdio.h>

#include <toft/arena.h>

#include "support/named_functions.h"

static toft_arena arena, other;

static void use(toft_arena *used, size_t bytes) {
    if (toft_arena_alloc(used, bytes, 8) == NULL) puts("no memory");
}

static void nothing(void *argument) { (void)argument; }

static void savepoint_from_before_a_reset(void) {
    use(&arena, 100);
    toft_savepoint point = toft_arena_save(&arena);
    toft_arena_reset(&arena);
    use(&arena, 1000);
    toft_arena_rewind(&arena, point);
}

static void savepoint_from_before_a_release(void) {
    toft_savepoint point = toft_arena_save(&arena);
    use(&arena, 100);
    toft_arena_release(&arena);
    toft_arena_rewind(&arena, point);
}

/* The first chunk, which the thread keeps, comes again. */
static void savepoint_from_before_a_release_of_chunks(void) {
    use(&arena, 100);
    toft_savepoint point = toft_arena_save(&arena);
    use(&arena, 1000000);
    toft_arena_release(&arena);
    use(&arena, 100);
    toft_arena_rewind(&arena, point);
}

static void savepoint_of_another_arena(void) {
    use(&arena, 100);
    use(&other, 100);
    toft_arena_rewind(&arena, toft_arena_save(&other));
}

static void savepoint_of_another_unused_arena(void) {
    use(&arena, 100);
    toft_arena_rewind(&arena, toft_arena_save(&other));
}

static void savepoint_rewound_past_in_another_chunk(void) {
    use(&arena, 100);
    toft_savepoint early = toft_arena_save(&arena);
    use(&arena, 1000000);
    toft_savepoint late = toft_arena_save(&arena);
    toft_arena_rewind(&arena, early);
    toft_arena_rewind(&arena, late);
}

static void savepoint_rewound_past_with_deferred(void) {
    toft_savepoint early = toft_arena_save(&arena);
    if (!toft_arena_defer(&arena, nothing, NULL)) return;
    toft_savepoint late = toft_arena_save(&arena);
    toft_arena_rewind(&arena, early);
    toft_arena_rewind(&arena, late);
}

static void copy_allocates(void) {
    use(&arena, 100);
    toft_arena copy = arena;
    use(&copy, 1000000);
}

static void copy_is_released(void) {
    use(&arena, 100);
    toft_arena copy = arena;
    toft_arena_release(&copy);
}

static void copy_is_reset(void) {
    use(&arena, 100);
    toft_arena copy = arena;
    toft_arena_reset(&copy);
}

static void give_back(void *context, void *memory, size_t bytes, size_t alignment) {
    (void)context, (void)memory, (void)bytes, (void)alignment;
}

static void upstream_with_only_a_free(void) {
    toft_upstream upstream = {NULL, give_back, NULL};
    toft_arena_init(&arena, &(toft_arena_options){.upstream = &upstream});
}

static void *misaligned(void *context, size_t bytes, size_t alignment) {
    static _Alignas(64) char memory[100000];
    (void)context, (void)alignment;
    return bytes < sizeof memory ? memory + 8 : NULL;
}

static void upstream_with_misaligned_memory(void) {
    toft_upstream upstream = {misaligned, NULL, NULL};
    toft_arena_init(&arena, &(toft_arena_options){.upstream = &upstream});
    use(&arena, 8);
}

static const struct named_function rules[] = {
    NAMED(savepoint_from_before_a_reset),
    NAMED(savepoint_from_before_a_release),
    NAMED(savepoint_from_before_a_release_of_chunks),
    NAMED(savepoint_of_another_arena),
    NAMED(savepoint_of_another_unused_arena),
    NAMED(savepoint_rewound_past_in_another_chunk),
    NAMED(savepoint_rewound_past_with_deferred),
    NAMED(copy_allocates),
    NAMED(copy_is_released),
    NAMED(copy_is_reset),
    NAMED(upstream_with_only_a_free),
    NAMED(upstream_with_misaligned_memory),
};

int main(int argc, char **argv) {
    call_named(rules, sizeof rules / sizeof *rules, argc, argv);
    return 0;
}
