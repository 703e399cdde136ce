/* SPDX-License-Identifier: MIT */
#include "malloc/door.h"

#include <errno.h>
#include <string.h>

#include "base/bits.h"
#include "pool/any.h"

/* A class plus one, as in the map; tests/unit/malloc.cpp compares it with toft_pool_class_table. */
#define EIGHT(place) place, place, place, place, place, place, place, place
const unsigned char toft_door_places[TOFT_DOOR_FAST_MAX + 1] = {
    1,         EIGHT(1),  EIGHT(2),  EIGHT(4),  EIGHT(4),  EIGHT(6),  EIGHT(6),  EIGHT(8),
    EIGHT(8),  EIGHT(10), EIGHT(10), EIGHT(12), EIGHT(12), EIGHT(14), EIGHT(14), EIGHT(16),
    EIGHT(16), EIGHT(17), EIGHT(17), EIGHT(18), EIGHT(18), EIGHT(19), EIGHT(19), EIGHT(20),
    EIGHT(20), EIGHT(21), EIGHT(21), EIGHT(22), EIGHT(22), EIGHT(23), EIGHT(23), EIGHT(24),
    EIGHT(24), EIGHT(25), EIGHT(25), EIGHT(26), EIGHT(26), EIGHT(27), EIGHT(27), EIGHT(28),
    EIGHT(28), EIGHT(29), EIGHT(29), EIGHT(30), EIGHT(30), EIGHT(31), EIGHT(31), EIGHT(32),
    EIGHT(32), EIGHT(33), EIGHT(33), EIGHT(34), EIGHT(34), EIGHT(35), EIGHT(35), EIGHT(36),
    EIGHT(36), EIGHT(37), EIGHT(37), EIGHT(38), EIGHT(38), EIGHT(39), EIGHT(39), EIGHT(40),
    EIGHT(40), EIGHT(41), EIGHT(41), EIGHT(41), EIGHT(41), EIGHT(41), EIGHT(41), EIGHT(41),
    EIGHT(41), EIGHT(42), EIGHT(42), EIGHT(42), EIGHT(42), EIGHT(42), EIGHT(42), EIGHT(42),
    EIGHT(42), EIGHT(43), EIGHT(43), EIGHT(43), EIGHT(43), EIGHT(43), EIGHT(43), EIGHT(43),
    EIGHT(43), EIGHT(44), EIGHT(44), EIGHT(44), EIGHT(44), EIGHT(44), EIGHT(44), EIGHT(44),
    EIGHT(44), EIGHT(45), EIGHT(45), EIGHT(45), EIGHT(45), EIGHT(45), EIGHT(45), EIGHT(45),
    EIGHT(45), EIGHT(46), EIGHT(46), EIGHT(46), EIGHT(46), EIGHT(46), EIGHT(46), EIGHT(46),
    EIGHT(46), EIGHT(47), EIGHT(47), EIGHT(47), EIGHT(47), EIGHT(47), EIGHT(47), EIGHT(47),
    EIGHT(47), EIGHT(48), EIGHT(48), EIGHT(48), EIGHT(48), EIGHT(48), EIGHT(48), EIGHT(48),
    EIGHT(48),
};

/* errno is for failures alone: what the system says meanwhile is not the caller's. */
static void *or_no_memory(void *object, int error) {
    errno = object != NULL ? error : ENOMEM;
    return object;
}

void *toft_door_alloc_sized(size_t size) {
    int error = errno;
    return or_no_memory(toft_pool_alloc(toft_pool_shared(), size), error);
}

void *toft_door_alloc_slow(size_t size) {
    int error = errno;
    void *object = toft_try_borrow(toft_pool_shared_cache, size);
    if (object == NULL) object = toft_pool_alloc(toft_pool_shared(), size);
    return or_no_memory(object, error);
}

void toft_door_free_slow(void *object, const char *call) {
    int error = errno;
    if (!toft_try_free_any(toft_pool_shared_cache, object)) toft_door_foreign(object, call);
    errno = error;
}

void *toft_door_calloc(size_t count, size_t size) {
    size_t bytes = count * size;
    bool small = (count | size) <= TOFT_DOOR_FAST_MAX && bytes <= TOFT_DOOR_FAST_MAX;
    if (TOFT_LIKELY(small)) {
        void *object = toft_door_alloc(bytes);
        return TOFT_LIKELY(object != NULL) ? memset(object, 0, bytes) : NULL;
    }
    int error = errno;
    return or_no_memory(toft_pool_calloc(toft_pool_shared(), count, size), error);
}

#if defined(TOFT_DROPIN)
static const char name_of_realloc[] = "realloc";
#else
static const char name_of_realloc[] = "toft_realloc";
#endif

void *toft_door_realloc(void *object, size_t size) {
    if (object == NULL) return toft_door_alloc(size);
    if (size == 0) {
        toft_door_free(object, name_of_realloc);
        return NULL;
    }
    int error = errno;
    if (TOFT_UNLIKELY(toft_pool_of(object) != toft_pool_shared())) {
        toft_door_foreign(object, name_of_realloc);
        return or_no_memory(NULL, error);
    }
    return or_no_memory(toft_pool_resize_any(toft_pool_shared(), object, size), error);
}

void *toft_door_alloc_aligned(size_t alignment, size_t size) {
    int error = errno;
    return or_no_memory(toft_pool_alloc_aligned(toft_pool_shared(), size, alignment), error);
}

void *toft_door_aligned_alloc(size_t alignment, size_t size) {
    if (!toft_is_power_of_two(alignment)) {
        errno = EINVAL;
        return NULL;
    }
    /* Whoever asks for less may count on what malloc gives. */
    alignment = toft_max(alignment, TOFT_POOL_DEFAULT_ALIGNMENT(size));
    return toft_door_alloc_aligned(alignment, size);
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
