/* SPDX-License-Identifier: MIT */
/* Touches or frees a pool's memory in a way that it has no right to, as its argument names: for
 * tools that track memory. What starts with "free_" must be found by the pool itself, the rest by
 * the tool. */
#include <stdio.h>
#include <string.h>

#include <toft/pool.h>

#include "misuse/touch.h"
#include "support/named_functions.h"

static toft_pool *pool;

static char *take(size_t size) {
    char *object = toft_pool_alloc(pool, size);
    if (object != NULL) memset(object, 'x', size);
    return object;
}

static void nothing(void) {
    static const size_t sizes[] = {0, 1, 7, 8, 24, 100, 1000, 4096, 30000, 32768, 40000, 2000000};
    char *objects[sizeof sizes / sizeof *sizes];
    for (int round = 0; round < 300; round++) {
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            objects[i] = take(sizes[i]);
            if (sizes[i] != 0) touch(objects[i] + sizes[i] - 1);
        }
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            toft_pool_free(pool, objects[i], sizes[i]);
    }
    char *aligned = toft_pool_alloc_aligned(pool, 100, 4096);
    toft_pool_free_aligned(pool, aligned, 100, 4096);
    toft_pool_trim(pool);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) objects[i] = take(sizes[i]);
}

static void after_free(void) {
    char *object = take(100);
    toft_pool_free(pool, object, 100);
    touch(object);
}

static void long_after_free(void) {
    char *object = take(100);
    toft_pool_free(pool, object, 100);
    for (int i = 0; i < 100; i++) toft_pool_free(pool, take(100), 100);
    touch(object + 50);
}

static void one_byte_behind(void) { touch(take(100) + 100); }
static void fifteen_bytes_behind(void) { touch(take(97) + 97 + 14); }
static void behind_a_full_class(void) { touch(take(64) + 64); }
static void before_the_begin(void) {
    char *first = take(100), *second = take(100);
    touch((first < second ? second : first) - 1);
}

static void behind_a_large_object(void) { touch(take(100000) + 100000); }
static void behind_a_mapped_object(void) { touch(take(3000000) + 3000000); }
static void before_a_large_object(void) { touch(take(100000) - 1); }
static void after_free_of_a_large_object(void) {
    char *object = take(100000);
    toft_pool_free(pool, object, 100000);
    touch(object + 50000);
}
static void after_free_of_a_mapped_object(void) {
    char *object = take(3000000);
    toft_pool_free(pool, object, 3000000);
    touch(object + 50000);
}
static void free_a_large_object_twice(void) {
    char *object = take(100000);
    toft_pool_free(pool, object, 100000);
    toft_pool_free(pool, object, 100000);
}
static void free_a_large_object_with_another_size(void) {
    toft_pool_free(pool, take(100000), 100001);
}

static void free_twice(void) {
    char *object = take(100);
    toft_pool_free(pool, object, 100);
    toft_pool_free(pool, object, 100);
}

static void free_twice_with_others_between(void) {
    char *object = take(100);
    toft_pool_free(pool, object, 100);
    for (int i = 0; i < 50; i++) toft_pool_free(pool, take(100), 100);
    toft_pool_free(pool, object, 100);
}

static void free_with_another_size(void) { toft_pool_free(pool, take(100), 101); }
static void free_with_another_class(void) { toft_pool_free(pool, take(100), 1000); }
static void free_with_an_alignment(void) { toft_pool_free_aligned(pool, take(100), 100, 256); }
static void free_the_inside(void) { toft_pool_free(pool, take(100) + 16, 100); }

static void free_to_another_pool(void) {
    toft_pool *other = toft_pool_create(&(toft_pool_options){.name = "other"});
    toft_pool_free(other, take(100), 100);
}

static void free_what_is_not_allocated(void) {
    static char memory[1000];
    toft_pool_free(pool, memory, 100);
}

/* The same without sizes. */
static void behind_a_resized_object(void) {
    char *object = toft_pool_resize_any(pool, take(100), 105);
    touch(object + 105);
}
static void after_resizing(void) {
    char *object = take(100);
    if (toft_pool_resize_any(pool, object, 101) != NULL) touch(object);
}
static void free_any_twice(void) {
    char *object = take(100);
    toft_pool_free_any(pool, object);
    toft_pool_free_any(pool, object);
}
static void free_any_large_object_twice(void) {
    char *object = take(100000);
    toft_pool_free_any(pool, object);
    toft_pool_free_any(pool, object);
}
static void free_any_inside(void) { toft_pool_free_any(pool, take(100) + 16); }
static void free_any_inside_of_a_large_object(void) {
    toft_pool_free_any(pool, take(100000) + 4096);
}
static void free_any_to_another_pool(void) {
    toft_pool *other = toft_pool_create(&(toft_pool_options){.name = "other"});
    toft_pool_free_any(other, take(100));
}
static void free_any_large_object_to_another_pool(void) {
    toft_pool *other = toft_pool_create(&(toft_pool_options){.name = "other"});
    toft_pool_free_any(other, take(100000));
}
static void free_any_that_is_not_allocated(void) {
    static char memory[1000];
    toft_pool_free_any(pool, memory);
}

static const struct named_function touches[] = {
    NAMED(nothing),
    NAMED(after_free),
    NAMED(long_after_free),
    NAMED(one_byte_behind),
    NAMED(fifteen_bytes_behind),
    NAMED(behind_a_full_class),
    NAMED(before_the_begin),
    NAMED(behind_a_large_object),
    NAMED(behind_a_mapped_object),
    NAMED(before_a_large_object),
    NAMED(after_free_of_a_large_object),
    NAMED(after_free_of_a_mapped_object),
    NAMED(free_a_large_object_twice),
    NAMED(free_a_large_object_with_another_size),
    NAMED(free_twice),
    NAMED(free_twice_with_others_between),
    NAMED(free_with_another_size),
    NAMED(free_with_another_class),
    NAMED(free_with_an_alignment),
    NAMED(free_the_inside),
    NAMED(free_to_another_pool),
    NAMED(free_what_is_not_allocated),
    NAMED(behind_a_resized_object),
    NAMED(after_resizing),
    NAMED(free_any_twice),
    NAMED(free_any_large_object_twice),
    NAMED(free_any_inside),
    NAMED(free_any_inside_of_a_large_object),
    NAMED(free_any_to_another_pool),
    NAMED(free_any_large_object_to_another_pool),
    NAMED(free_any_that_is_not_allocated),
};

int main(int argc, char **argv) {
    pool = toft_pool_create(&(toft_pool_options){.name = "under test"});
    call_named(touches, sizeof touches / sizeof *touches, argc, argv);
    toft_pool_destroy(pool);
    return 0;
}
