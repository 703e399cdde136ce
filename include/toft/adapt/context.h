/* SPDX-License-Identifier: MIT */
/* A pool of your own behind the hooks of an interpreter or a library that hand a context on, and
 * free without sizes. Two shapes are usual, duktape's and wren's:
 *
 *     toft_pool *pool = toft_pool_create(NULL);
 *     duk_context *context = duk_create_heap(toft_context_alloc, toft_context_resize,
 *                                            toft_context_free, pool, NULL);
 *
 *     WrenConfiguration configuration;
 *     wrenInitConfiguration(&configuration);
 *     configuration.reallocateFn = toft_context_reallocate;
 *     configuration.userData = pool;
 *     ...
 *     toft_pool_destroy(pool); // frees what the library has left, too
 *
 * Alignment, threads and failure are those of toft_pool_alloc, _resize_any and _free_any. */
#ifndef TOFT_ADAPT_CONTEXT_H
#define TOFT_ADAPT_CONTEXT_H

#include <toft/pool.h>

TOFT_EXTERN_C_BEGIN

/* The context first. */
static inline void *toft_context_alloc(void *pool, size_t size) {
    return toft_pool_alloc((toft_pool *)pool, size);
}
static inline void toft_context_free(void *pool, void *object) {
    toft_pool_free_any((toft_pool *)pool, object);
}
/* A size of 0 frees the object and returns NULL, as glibc's realloc does. */
static inline void *toft_context_resize(void *pool, void *object, size_t new_size) {
    if (new_size != 0 || object == NULL)
        return toft_pool_resize_any((toft_pool *)pool, object, new_size);
    toft_context_free(pool, object);
    return NULL;
}

/* The context last, and a size of 0 frees: NULL with it is nothing. */
static inline void *toft_context_reallocate(void *object, size_t new_size, void *pool) {
    return object == NULL && new_size == 0 ? NULL : toft_context_resize(pool, object, new_size);
}

TOFT_EXTERN_C_END

#endif
