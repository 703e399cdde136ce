/* SPDX-License-Identifier: MIT */
/* tree-sitter's memory from the shared pool, or from what is current. tree-sitter's hooks have no
 * context, and free without sizes.
 *
 *     ts_set_allocator(TOFT_TREE_SITTER_POOL);    // before anything else of tree-sitter
 *     ts_set_allocator(TOFT_TREE_SITTER_CURRENT); // or this
 *
 * A parser keeps memory of its trees for the next: within uses of <toft/current.h>, let it live no
 * longer than they do. Neither needs to be deleted then. tree-sitter can't do without memory that
 * it asks for: where there is none, as in a strategy that has reached its limit, the program ends
 * with one line. This header includes nothing of tree-sitter's. */
#ifndef TOFT_ADAPT_TREE_SITTER_H
#define TOFT_ADAPT_TREE_SITTER_H

#include <stdio.h>
#include <stdlib.h>

#include <toft/current.h>
#include <toft/malloc.h>

TOFT_EXTERN_C_BEGIN

#define TOFT_TREE_SITTER_POOL                                                                      \
    toft_tree_sitter_malloc, toft_tree_sitter_calloc, toft_tree_sitter_realloc, toft_free
#define TOFT_TREE_SITTER_CURRENT                                                                   \
    toft_tree_sitter_current_malloc, toft_tree_sitter_current_calloc,                              \
        toft_tree_sitter_current_realloc, toft_current_free

static inline void *toft_tree_sitter_expect(void *object) {
    if (TOFT_LIKELY(object != NULL)) return object;
    fputs("toft: there is no memory for tree-sitter, which can't do without\n", stderr);
    abort();
}

/* A size of 0 has freed the object: NULL is no failure then. */
static inline void *toft_tree_sitter_expect_resized(void *object, size_t size) {
    return size == 0 ? object : toft_tree_sitter_expect(object);
}

static inline void *toft_tree_sitter_malloc(size_t size) {
    return toft_tree_sitter_expect(toft_malloc(size));
}
static inline void *toft_tree_sitter_calloc(size_t count, size_t size) {
    return toft_tree_sitter_expect(toft_calloc(count, size));
}
static inline void *toft_tree_sitter_realloc(void *object, size_t size) {
    return toft_tree_sitter_expect_resized(toft_realloc(object, size), size);
}

static inline void *toft_tree_sitter_current_malloc(size_t size) {
    return toft_tree_sitter_expect(toft_current_alloc(size));
}
static inline void *toft_tree_sitter_current_calloc(size_t count, size_t size) {
    return toft_tree_sitter_expect(toft_current_calloc(count, size));
}
static inline void *toft_tree_sitter_current_realloc(void *object, size_t size) {
    return toft_tree_sitter_expect_resized(toft_current_resize(object, size), size);
}

TOFT_EXTERN_C_END

#endif
