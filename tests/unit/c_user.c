/* SPDX-License-Identifier: MIT */
#include "unit/c_user.h"

#include <stdalign.h>
#include <string.h>

int *c_user_count_to(toft_arena *arena, int n) {
    int *numbers = toft_new_array(arena, int, (size_t)n);
    if (numbers == NULL) return NULL;
    for (int i = 0; i < n; i++) numbers[i] = i + 1;
    return numbers;
}

char *c_user_join(toft_arena *arena, const char *first, const char *second) {
    size_t first_length = strlen(first), second_length = strlen(second);
    char *joined = toft_arena_memdup(arena, first, first_length + 1, 1);
    if (joined == NULL) return NULL;
    joined =
        toft_arena_resize(arena, joined, first_length + 1, first_length + second_length + 1, 1);
    if (joined != NULL) memcpy(joined + first_length, second, second_length + 1);
    return joined;
}

static int calls;
static toft_arena *counted(toft_arena *arena) {
    calls++;
    return arena;
}

bool c_user_evaluates_once(toft_arena *arena) {
    struct aligned {
        alignas(128) char c;
    } *one;
    size_t n = 2;
    calls = 0;
    one = toft_new(counted(arena), struct aligned);
    one = one == NULL ? NULL : toft_new_array(counted(arena), struct aligned, ++n);
    return one != NULL && (uintptr_t)one % 128 == 0 && calls == 2 && n == 3;
}

bool c_user_initialised_arena_works(void) {
    static toft_arena global = TOFT_ARENA_INIT;
    toft_arena local = TOFT_ARENA_INIT, with_options;
    toft_arena_init(&with_options, &(toft_arena_options){.limit_bytes = 1000000});
    bool works = toft_new(&global, int) != NULL && toft_new(&local, long) != NULL &&
                 toft_new(&with_options, long double) != NULL;
    toft_arena_release(&global);
    toft_arena_release(&local);
    toft_arena_release(&with_options);
    return works;
}

bool c_user_has_version_of_headers(void) { return strcmp(toft_version(), TOFT_VERSION) == 0; }

struct wide {
    alignas(64) char bytes[100];
};

/* An object and an array of three, which are where they should be, and wholly writable. */
static bool are_whole(struct wide *one, struct wide *array) {
    if (one == NULL || array == NULL) return false;
    memset(one, 1, sizeof *one);
    memset(array, 2, 3 * sizeof *array);
    return (uintptr_t)one % 64 == 0 && (uintptr_t)array % 64 == 0;
}

bool c_user_makes_by_type_in_reap(toft_reap *reap) {
    size_t n = 3;
    struct wide *one = toft_reap_new(reap, struct wide);
    struct wide *array = toft_reap_new_array(reap, struct wide, n++);
    if (!are_whole(one, array)) return false;
    toft_reap_delete(reap, one);
    toft_reap_delete_array(reap, array, --n);
    toft_reap_delete_array(reap, (struct wide *)NULL, n);
    return n == 3 && toft_reap_new_array(reap, struct wide, SIZE_MAX / sizeof *one + 2) == NULL;
}

bool c_user_makes_by_type_in_pool(toft_pool *pool) {
    size_t n = 3;
    struct wide *one = toft_pool_new(pool, struct wide);
    struct wide *array = toft_pool_new_array(pool, struct wide, n++);
    if (!are_whole(one, array)) return false;
    toft_pool_delete(pool, one);
    toft_pool_delete_array(pool, array, --n);
    toft_pool_delete(pool, (struct wide *)NULL);
    toft_pool_delete_array(pool, (struct wide *)NULL, n);
    return n == 3 && toft_pool_new_array(pool, struct wide, SIZE_MAX / sizeof *one + 2) == NULL;
}

bool c_user_makes_arrays_in_pool(toft_pool *pool) {
    volatile size_t enormous = SIZE_MAX / 8 + 2; /* times 24, it would be 48 */
    int *array = toft_pool_alloc_array(pool, 1000, sizeof *array);
    char *aligned = toft_pool_alloc_array_aligned(pool, 100, 24, 128);
    if (array == NULL || aligned == NULL || (uintptr_t)aligned % 128 != 0) return false;
    memset(array, 1, 1000 * sizeof *array);
    memset(aligned, 2, 2400);
    toft_pool_free(pool, array, 1000 * sizeof *array);
    toft_pool_free_aligned(pool, aligned, 2400, 128);
    return toft_pool_alloc_array(pool, enormous, 24) == NULL &&
           toft_pool_alloc_array_aligned(pool, enormous, 24, 128) == NULL;
}
