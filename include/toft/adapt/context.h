/* SPDX-License-Identifier: MIT */
/* Memory of your own behind the hooks of an interpreter or a library that hand a context on, and
 * free without sizes. Three shapes are usual, duktape's, wren's and PCRE2's:
 *
 *     toft_pool *pool = toft_pool_create(NULL);
 *     duk_context *context = duk_create_heap(toft_context_alloc, toft_context_resize,
 *                                            toft_context_free, pool, NULL);
 *
 *     WrenConfiguration configuration;
 *     wrenInitConfiguration(&configuration);
 *     configuration.reallocateFn = toft_context_last_resize;
 *     configuration.userData = pool;
 *
 *     pcre2_general_context *memory =
 *         pcre2_general_context_create(toft_context_last_alloc, toft_context_last_free, pool);
 *     ...
 *     toft_pool_destroy(pool); // frees what the library has left, too
 *
 * Look at the hook's parameters: toft_context_alloc, _calloc, _resize and _free take the context
 * first; toft_context_last_alloc, _last_resize and _last_free take it last.
 *
 * The same functions exist over a reap and over an arena:
 *
 *     toft_reap reap = TOFT_REAP_INIT;
 *     duk_context *context =
 *         duk_create_heap(toft_context_alloc_in_reap, toft_context_resize_in_reap,
 *                         toft_context_free_in_reap, &reap, NULL);
 *     ...
 *     toft_reap_release(&reap); // without duk_destroy_heap
 *
 * A runtime that lives briefly, on one thread, is a reap's: its end costs least, and a small one
 * takes a fraction of a pool's memory. An arena uses again only what was freed or resized last, so
 * it is for what frees little before its end, as a parser does.
 *
 * Size 0 gives a valid pointer, except where a function says that it frees. Failure is NULL: when
 * there is no memory, when a limit would be exceeded, when a size or product can't be represented.
 * An old object stays as it was then. */
#ifndef TOFT_ADAPT_CONTEXT_H
#define TOFT_ADAPT_CONTEXT_H

#include <stdint.h>
#include <string.h>

#include <toft/arena.h>
#include <toft/pool.h>
#include <toft/reap.h>

TOFT_EXTERN_C_BEGIN

/* --- a pool: alignment and threads are those of toft_pool_alloc --- */

/* The context first. */
static inline void *toft_context_alloc(void *pool, size_t size) {
    return toft_pool_alloc((toft_pool *)pool, size);
}
static inline void *toft_context_calloc(void *pool, size_t count, size_t size) {
    return toft_pool_calloc((toft_pool *)pool, count, size);
}
/* Not for a hook that hands the context on last, as PCRE2's and Dear ImGui's do: it takes this
   function without a warning, since both parameters have the same type, but then object and pool
   change places, and the program crashes later. Give it toft_context_last_free. The same is true
   of a reap's and an arena's. */
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

/* --- what a reap and an arena have in common --- */

/* They must be told the size of what they free. So it stands in front of each object, in as many
   bytes as keep the object aligned for every type that asks for no alignment of its own. */
enum { toft_context_header_bytes = 16 };

/* What can't be represented gives SIZE_MAX, which neither a reap nor an arena ever has. */
static inline size_t toft_context_with_header(size_t size) {
    return size < SIZE_MAX - toft_context_header_bytes ? size + toft_context_header_bytes
                                                       : SIZE_MAX;
}

static inline void *toft_context_block_of(void *object) {
    return (char *)object - toft_context_header_bytes;
}
static inline void *toft_context_object_of(void *block, size_t size) {
    if (block == NULL) return NULL;
    memcpy(block, &size, sizeof size);
    return (char *)block + toft_context_header_bytes;
}
/* The size that an object of a reap or an arena was asked for; 0 for NULL. A pool's objects have
   toft_pool_usable_bytes. */
static inline size_t toft_context_usable_bytes(const void *object) {
    size_t size = 0;
    if (object != NULL)
        memcpy(&size, (const char *)object - toft_context_header_bytes, sizeof size);
    return size;
}

/* --- a reap: one thread at a time; objects are aligned to 16, and take 16 bytes more --- */

/* The context first. */
static inline void *toft_context_alloc_in_reap(void *reap, size_t size) {
    return toft_context_object_of(toft_reap_alloc((toft_reap *)reap, toft_context_with_header(size),
                                                  toft_context_header_bytes),
                                  size);
}
static inline void *toft_context_calloc_in_reap(void *reap, size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / size) return NULL;
    void *object = toft_context_alloc_in_reap(reap, count * size);
    return object == NULL ? NULL : memset(object, 0, count * size);
}
static inline void toft_context_free_in_reap(void *reap, void *object) {
    if (object == NULL) return;
    toft_reap_free((toft_reap *)reap, toft_context_block_of(object),
                   toft_context_with_header(toft_context_usable_bytes(object)),
                   toft_context_header_bytes);
}
/* A size of 0 frees the object and returns NULL, as glibc's realloc does. */
static inline void *toft_context_resize_in_reap(void *reap, void *object, size_t new_size) {
    if (object == NULL) return toft_context_alloc_in_reap(reap, new_size);
    if (new_size != 0)
        return toft_context_object_of(
            toft_reap_resize((toft_reap *)reap, toft_context_block_of(object),
                             toft_context_with_header(toft_context_usable_bytes(object)),
                             toft_context_with_header(new_size), toft_context_header_bytes),
            new_size);
    toft_context_free_in_reap(reap, object);
    return NULL;
}

/* --- an arena: one thread at a time; objects are aligned to 16, and take 16 bytes more --- */

/* The context first. */
static inline void *toft_context_alloc_in_arena(void *arena, size_t size) {
    return toft_context_object_of(toft_arena_alloc((toft_arena *)arena,
                                                   toft_context_with_header(size),
                                                   toft_context_header_bytes),
                                  size);
}
static inline void *toft_context_calloc_in_arena(void *arena, size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / size) return NULL;
    void *object = toft_context_alloc_in_arena(arena, count * size);
    return object == NULL ? NULL : memset(object, 0, count * size);
}
/* What isn't the last allocation stays until the arena's end. */
static inline void toft_context_free_in_arena(void *arena, void *object) {
    if (object == NULL) return;
    toft_arena_free_last((toft_arena *)arena, toft_context_block_of(object),
                         toft_context_with_header(toft_context_usable_bytes(object)));
}
/* A size of 0 frees the object and returns NULL, as glibc's realloc does. */
static inline void *toft_context_resize_in_arena(void *arena, void *object, size_t new_size) {
    if (object == NULL) return toft_context_alloc_in_arena(arena, new_size);
    if (new_size != 0)
        return toft_context_object_of(
            toft_arena_resize((toft_arena *)arena, toft_context_block_of(object),
                              toft_context_with_header(toft_context_usable_bytes(object)),
                              toft_context_with_header(new_size), toft_context_header_bytes),
            new_size);
    toft_context_free_in_arena(arena, object);
    return NULL;
}

/* --- the context last, over all three: memory, threads and failure are those of above --- */

/* toft_context_last_alloc(size, pool) is toft_context_alloc(pool, size), and
   toft_context_last_free(object, pool) is toft_context_free(pool, object).
   toft_context_last_resize(object, new_size, pool) is toft_context_resize(pool, object, new_size),
   but does nothing with NULL and a size of 0, and returns NULL. With a reap or an arena, all three
   names end in _in_reap or _in_arena. */
#define TOFT_CONTEXT_LAST(in_which)                                                                \
    static inline void *toft_context_last_alloc##in_which(size_t size, void *context) {            \
        return toft_context_alloc##in_which(context, size);                                        \
    }                                                                                              \
    static inline void toft_context_last_free##in_which(void *object, void *context) {             \
        toft_context_free##in_which(context, object);                                              \
    }                                                                                              \
    static inline void *toft_context_last_resize##in_which(void *object, size_t new_size,          \
                                                           void *context) {                        \
        if (object == NULL && new_size == 0) return NULL;                                          \
        return toft_context_resize##in_which(context, object, new_size);                           \
    }
TOFT_CONTEXT_LAST()
TOFT_CONTEXT_LAST(_in_reap)
TOFT_CONTEXT_LAST(_in_arena)
#undef TOFT_CONTEXT_LAST

TOFT_EXTERN_C_END

#endif
