/* SPDX-License-Identifier: MIT */
/* Breaks the rules of a block, or touches what it left behind, as its argument names. What starts
 * with "toft_" is found by Toft itself everywhere, what starts with "tracked_" by Toft while a tool
 * tracks memory, and the rest by the tool. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <toft/current.h>

#include "misuse/touch.h"
#include "support/named_functions.h"

static toft_arena arena, other;
static toft_reap reap;

static toft_current_use push(toft_arena *pushed) {
    return toft_current_push(toft_strategy_of_arena(pushed));
}

static char *take(size_t size) {
    char *object = toft_current_alloc(size);
    if (object != NULL) memset(object, 'x', size);
    return object;
}

static void *end_block(void *block) {
    toft_current_pop(*(toft_current_use *)block);
    return NULL;
}

static void nothing(void) {
    toft_current_use outer = push(&arena);
    char *kept = take(100);
    toft_current_use inner = toft_current_push(toft_strategy_of_reap(&reap));
    char *object = take(100);
    kept = toft_current_resize(kept, 5000);
    touch(kept + 4999);
    toft_current_free(object);
    toft_current_pop(inner);
    toft_current_free(kept);
    toft_current_pop(outer);
    touch(take(10) + 9);
}

static void toft_ended_out_of_order(void) {
    toft_current_use outer = push(&arena);
    if (push(&other).before.word != 0) toft_current_pop(outer);
}
static void toft_ended_twice(void) {
    toft_current_use block = push(&arena);
    toft_current_pop(block);
    toft_current_pop(block);
}
static void toft_ended_on_another_thread(void) {
    toft_current_use block = push(&arena);
    pthread_t thread;
    if (pthread_create(&thread, NULL, end_block, &block) == 0) pthread_join(thread, NULL);
}
static void toft_first_buffer_of_a_pool(void) {
    void *buffer = toft_pool_alloc(toft_pool_shared(), 4096);
    toft_arena_init(&arena,
                    &(toft_arena_options){.first_buffer = buffer, .first_buffer_bytes = 4096});
    if (push(&arena).before.word == 0) take(100);
}
static void *chunk_of_pool(void *context, size_t size, size_t alignment) {
    (void)context;
    return toft_pool_alloc_aligned(toft_pool_shared(), size, alignment);
}
static void chunk_to_pool(void *context, void *chunk, size_t size, size_t alignment) {
    (void)context;
    toft_pool_free_aligned(toft_pool_shared(), chunk, size, alignment);
}
/* Behind a first buffer of its own, its chunks are small objects of a pool. */
static void init_before_pool(void) {
    static _Alignas(16) char buffer[512];
    static const toft_upstream upstream = {chunk_of_pool, chunk_to_pool, NULL};
    toft_arena_init(&arena, &(toft_arena_options){.upstream = &upstream,
                                                  .first_buffer = buffer,
                                                  .first_buffer_bytes = sizeof buffer,
                                                  .chunk_bytes = 2000});
}
static void toft_second_chunk_of_a_pool(void) {
    init_before_pool();
    if (push(&arena).before.word != 0) return;
    for (int i = 0; i < 10; i++) take(100);
}
static void toft_shared_pool_ended_on_another_thread(void) {
    toft_current_use block = toft_current_push(toft_strategy_of_pool(toft_pool_shared()));
    pthread_t thread;
    if (pthread_create(&thread, NULL, end_block, &block) == 0) pthread_join(thread, NULL);
}

static void toft_resize_into_an_object_of_a_pool(void) {
    init_before_pool();
    toft_current_use block = push(&arena);
    char *object = toft_current_resize(take(100), 600);
    if (object != NULL) puts("it was resized");
    toft_current_pop(block);
}
static void toft_resize_what_is_not_allocated(void) {
    static char memory[1000];
    if (toft_current_resize(memory + 100, 10) != NULL) puts("it was resized");
}

/* An object that outlives its block, and the reset that ends its memory. */
static char *left_behind(void) {
    toft_current_use block = push(&arena);
    char *object = take(100);
    toft_current_pop(block);
    toft_arena_reset(&arena);
    return object;
}
static void after_the_block(void) { touch(left_behind()); }
static void after_a_rewind_in_the_block(void) {
    toft_savepoint begin = toft_arena_save(&arena);
    toft_current_use block = push(&arena);
    char *object = take(100);
    toft_arena_rewind(&arena, begin);
    touch(object + 50);
    toft_current_pop(block);
}
static void after_the_block_of_a_reap(void) {
    toft_current_use block = toft_current_push(toft_strategy_of_reap(&reap));
    char *object = take(100);
    toft_current_pop(block);
    toft_reap_reset(&reap);
    touch(object);
}
static void after_a_free_in_the_block_of_a_reap(void) {
    toft_current_use block = toft_current_push(toft_strategy_of_reap(&reap));
    char *object = take(100);
    toft_current_free(object);
    touch(object);
    toft_current_pop(block);
}
static void behind_an_object(void) {
    toft_current_use block = push(&arena);
    touch(take(100) + 100);
    toft_current_pop(block);
}

static void tracked_free_after_the_block(void) { toft_current_free(left_behind()); }
static void tracked_resize_after_the_block(void) {
    if (toft_current_resize(left_behind(), 1000) != NULL) puts("it was resized");
}
static void tracked_free_twice(void) {
    toft_current_use block = toft_current_push(toft_strategy_of_reap(&reap));
    char *object = take(100);
    toft_current_free(object);
    toft_current_free(object);
    toft_current_pop(block);
}

static const struct named_function touches[] = {
    NAMED(nothing),
    NAMED(toft_ended_out_of_order),
    NAMED(toft_ended_twice),
    NAMED(toft_ended_on_another_thread),
    NAMED(toft_shared_pool_ended_on_another_thread),
    NAMED(toft_first_buffer_of_a_pool),
    NAMED(toft_second_chunk_of_a_pool),
    NAMED(toft_resize_into_an_object_of_a_pool),
    NAMED(toft_resize_what_is_not_allocated),
    NAMED(after_the_block),
    NAMED(after_a_rewind_in_the_block),
    NAMED(after_the_block_of_a_reap),
    NAMED(after_a_free_in_the_block_of_a_reap),
    NAMED(behind_an_object),
    NAMED(tracked_free_after_the_block),
    NAMED(tracked_resize_after_the_block),
    NAMED(tracked_free_twice),
};

int main(int argc, char **argv) {
    call_named(touches, sizeof touches / sizeof *touches, argc, argv);
    return 0;
}
