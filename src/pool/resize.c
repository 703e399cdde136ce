/* SPDX-License-Identifier: MIT */
/* Objects that get another size, and those that begin with contents. */
#include <string.h>

#include "base/bits.h"
#include "os/tracking.h"
#include "pool/any.h"

/* The alignment that is meant by 0. */
static size_t alignment_for(size_t size, size_t alignment) {
    return alignment != 0 ? alignment : TOFT_POOL_DEFAULT_ALIGNMENT(size);
}

static void *allocate(toft_pool *pool, size_t size, size_t alignment) {
    return alignment == 0 ? toft_pool_alloc(pool, size)
                          : toft_pool_alloc_aligned(pool, size, alignment);
}

static void free_sized(toft_pool *pool, void *object, size_t size, size_t alignment) {
    if (alignment == 0)
        toft_pool_free(pool, object, size);
    else
        toft_pool_free_aligned(pool, object, size, alignment);
}

/* Where it is with its new size, if it needn't be copied; else NULL. A wrong old size is left to
   the free that follows then. */
static void *resize_in_place(toft_pool *pool, void *object, size_t old_size, size_t new_size,
                             size_t alignment) {
    size_t old_alignment = alignment_for(old_size, alignment);
    size_t new_alignment = alignment_for(new_size, alignment);
    bool was_small = toft_pool_is_small(old_size, old_alignment);
    if (toft_tracking() || was_small != toft_pool_is_small(new_size, new_alignment)) return NULL;
    if (was_small) {
        bool same = toft_pool_class_of_aligned(old_size, old_alignment) ==
                    toft_pool_class_of_aligned(new_size, new_alignment);
        return same ? object : NULL;
    }
    toft_large *record = toft_large_find(object);
    bool right = record != NULL && record->pool == pool && record->size == old_size;
    return right ? toft_large_resize(record, new_size) : NULL;
}

static void *resize(toft_pool *pool, void *object, size_t old_size, size_t new_size,
                    size_t alignment) {
    if (object == NULL) return allocate(pool, new_size, alignment);
    void *resized = resize_in_place(pool, object, old_size, new_size, alignment);
    if (resized != NULL) return resized;
    resized = allocate(pool, new_size, alignment);
    if (resized == NULL) return NULL;
    memcpy(resized, object, toft_min(old_size, new_size));
    free_sized(pool, object, old_size, alignment);
    return resized;
}

void *toft_pool_resize(toft_pool *pool, void *object, size_t old_size, size_t new_size) {
    return resize(pool, object, old_size, new_size, 0);
}

void *toft_pool_resize_aligned(toft_pool *pool, void *object, size_t old_size, size_t new_size,
                               size_t alignment) {
    if (!toft_is_power_of_two(alignment)) return NULL;
    return resize(pool, object, old_size, new_size, alignment);
}

/* --- without the old size --- */

static void *resize_any_in_place(toft_pool *pool, void *object, size_t usable_bytes,
                                 size_t new_size) {
    if (toft_tracking()) return NULL;
    if (usable_bytes > TOFT_POOL_SMALL_MAX && new_size > TOFT_POOL_SMALL_MAX) {
        toft_large *record = toft_large_find(object);
        bool right = record != NULL && record->pool == pool;
        return right ? toft_large_resize(record, new_size) : NULL;
    }
    return new_size <= usable_bytes && new_size >= usable_bytes / 2 ? object : NULL;
}

void *toft_pool_resize_any(toft_pool *pool, void *object, size_t new_size) {
    if (object == NULL) return toft_pool_alloc(pool, new_size);
    size_t usable_bytes = toft_pool_usable_bytes(object);
    void *resized = resize_any_in_place(pool, object, usable_bytes, new_size);
    if (resized != NULL) return resized;
    resized = toft_pool_alloc(pool, new_size);
    if (resized == NULL) return new_size <= usable_bytes ? object : NULL;
    memcpy(resized, object, toft_min(usable_bytes, new_size));
    toft_pool_free_any(pool, object);
    return resized;
}

/* --- contents --- */

static void *zeroed(void *object, size_t size) {
    if (object == NULL) return NULL;
    const toft_large *record = size > TOFT_POOL_SMALL_MAX ? toft_large_find(object) : NULL;
    if (record == NULL || !record->fresh || toft_tracking()) memset(object, 0, size);
    return object;
}

static bool product(size_t count, size_t size, size_t *bytes) {
    *bytes = count * size;
    return size == 0 || count <= SIZE_MAX / size;
}

static void *allocate_zeroed(toft_pool *pool, size_t size, size_t alignment) {
    void *object = size > TOFT_POOL_SMALL_MAX
                       ? toft_large_alloc(toft_pool_current_cache(pool), size,
                                          alignment_for(size, alignment), toft_zeros)
                       : allocate(pool, size, alignment);
    return zeroed(object, size);
}

void *toft_pool_calloc(toft_pool *pool, size_t count, size_t size) {
    size_t bytes;
    return product(count, size, &bytes) ? allocate_zeroed(pool, bytes, 0) : NULL;
}

void *toft_pool_calloc_aligned(toft_pool *pool, size_t count, size_t size, size_t alignment) {
    size_t bytes;
    if (!toft_is_power_of_two(alignment) || !product(count, size, &bytes)) return NULL;
    return allocate_zeroed(pool, bytes, alignment);
}

char *toft_pool_strdup(toft_pool *pool, const char *string) {
    size_t size = strlen(string) + 1;
    char *copy = toft_pool_alloc(pool, size);
    return copy == NULL ? NULL : memcpy(copy, string, size);
}
