/* SPDX-License-Identifier: MIT */
#include "malloc/door.h"

#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "pool/any.h"

/* A class plus one, as in the map; tests/unit/malloc.cpp compares it with toft_pool_class_table. */
const unsigned char toft_door_places[TOFT_DOOR_FAST_MAX / 8 + 1] = {
    1,  1,  2,  4,  4,  6,  6,  8,  8,  10, 10, 12, 12, 14, 14, 16, 16, 17, 17, 18, 18, 19,
    19, 20, 20, 21, 21, 22, 22, 23, 23, 24, 24, 25, 25, 26, 26, 27, 27, 28, 28, 29, 29, 30,
    30, 31, 31, 32, 32, 33, 33, 34, 34, 35, 35, 36, 36, 37, 37, 38, 38, 39, 39, 40, 40, 41,
    41, 41, 41, 41, 41, 41, 41, 42, 42, 42, 42, 42, 42, 42, 42, 43, 43, 43, 43, 43, 43, 43,
    43, 44, 44, 44, 44, 44, 44, 44, 44, 45, 45, 45, 45, 45, 45, 45, 45, 46, 46, 46, 46, 46,
    46, 46, 46, 47, 47, 47, 47, 47, 47, 47, 47, 48, 48, 48, 48, 48, 48, 48, 48,
};

/* errno is for failures alone: what the system says meanwhile is not the caller's. */
static void *or_no_memory(void *object, int error) {
    errno = object != NULL ? error : ENOMEM;
    return object;
}

void *toft_door_alloc_slow(size_t size) {
    int error = errno;
    return or_no_memory(toft_pool_alloc(toft_pool_shared(), size), error);
}

void toft_door_free_slow(void *object) {
    int error = errno;
    if (!toft_try_free_any(toft_pool_shared_cache, object)) toft_door_foreign(object);
    errno = error;
}

void *toft_door_calloc(size_t count, size_t size) {
    size_t bytes = count * size;
    bool small = (count | size) <= TOFT_DOOR_FAST_MAX && bytes <= TOFT_DOOR_FAST_MAX;
    void *object = small ? toft_door_alloc_fast(bytes) : NULL;
    if (TOFT_LIKELY(object != NULL)) return memset(object, 0, bytes);
    int error = errno;
    return or_no_memory(toft_pool_calloc(toft_pool_shared(), count, size), error);
}

void *toft_door_realloc(void *object, size_t size) {
    if (object == NULL) return toft_door_alloc(size);
    if (size == 0) {
        toft_door_free(object);
        return NULL;
    }
    int error = errno;
    if (TOFT_UNLIKELY(toft_pool_of(object) != toft_pool_shared())) {
        toft_door_foreign(object);
        return or_no_memory(NULL, error);
    }
    return or_no_memory(toft_pool_resize_any(toft_pool_shared(), object, size), error);
}

void *toft_door_alloc_aligned(size_t alignment, size_t size) {
    int error = errno;
    return or_no_memory(toft_pool_alloc_aligned(toft_pool_shared(), size, alignment), error);
}

void *toft_door_aligned_alloc(size_t alignment, size_t size) {
    if (toft_is_power_of_two(alignment)) return toft_door_alloc_aligned(alignment, size);
    errno = EINVAL;
    return NULL;
}

int toft_door_trim(void) {
    int error = errno;
    toft_pool_stats before = toft_pool_get_stats(toft_pool_shared());
    toft_pool_trim(toft_pool_shared());
    toft_pool_stats after = toft_pool_get_stats(toft_pool_shared());
    errno = error;
    return after.reserved_bytes < before.reserved_bytes || after.idle_bytes < before.idle_bytes ||
           after.cached_bytes < before.cached_bytes;
}
