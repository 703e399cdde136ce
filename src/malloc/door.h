/* SPDX-License-Identifier: MIT */
/* What malloc does, under whatever names: those of <toft/malloc.h>, and malloc's own in the
 * drop-in.
 *
 * The fast paths are inlined into the functions of either; the rest is called. */
#ifndef TOFT_MALLOC_DOOR_H
#define TOFT_MALLOC_DOOR_H

#include <toft/pool.h>

TOFT_EXTERN_C_BEGIN

/* For each size: where the top of its class lies in a cache, in pointers. */
#define TOFT_DOOR_FAST_MAX ((size_t)1024)
extern const unsigned char toft_door_places[TOFT_DOOR_FAST_MAX + 1];

/* NULL where toft_door_alloc_slow must be asked. */
TOFT_ALWAYS_INLINE void *toft_door_alloc_fast(size_t size) {
    toft_pool_cache *cache = toft_pool_shared_cache;
    if (TOFT_UNLIKELY(size > TOFT_DOOR_FAST_MAX)) return NULL;
    size_t place = toft_door_places[size];
    void **top = __atomic_load_n(&((void ***)(void *)cache)[place], __ATOMIC_RELAXED);
    void *object = *top;
    if (TOFT_UNLIKELY(object == NULL)) return NULL;
    TOFT_POOL_FORGET(cache);
    __atomic_store_n(&((void ***)(void *)cache)[place], top - 1, __ATOMIC_RELAXED);
    return object;
}

/* NULL when out of memory, and errno says so. The object of the second may be freed by its size;
   that of the first may have a slot of a larger class. */
void *toft_door_alloc_slow(size_t size);
void *toft_door_alloc_sized(size_t size);
void toft_door_free_slow(void *object, const char *call);

TOFT_ALWAYS_INLINE void *toft_door_alloc(size_t size) {
    void *object = toft_door_alloc_fast(size);
    return TOFT_LIKELY(object != NULL) ? object : toft_door_alloc_slow(size);
}

/* `call` is the function that the program called, for messages. */
TOFT_ALWAYS_INLINE void toft_door_free(void *object, const char *call) {
    if (TOFT_UNLIKELY(!toft_pool_give_any(toft_pool_shared_cache, object)))
        toft_door_free_slow(object, call);
}

void *toft_door_calloc(size_t count, size_t size);
void *toft_door_realloc(void *object, size_t size);
/* The alignment is a power of two. */
void *toft_door_alloc_aligned(size_t alignment, size_t size);
/* Sets errno and returns NULL for an alignment that is none. */
void *toft_door_aligned_alloc(size_t alignment, size_t size);
int toft_door_trim(void);

/* What to do with a pointer, handed to free or realloc, that is no live object of ours. Whoever
   links door.c says it. */
void toft_door_foreign(void *object, const char *call);

TOFT_EXTERN_C_END

#endif
