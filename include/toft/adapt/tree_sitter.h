/* SPDX-License-Identifier: MIT */
/* tree-sitter's memory from the shared pool, or from what is current. tree-sitter's hooks have no
 * context, and free without sizes.
 *
 *     ts_set_allocator(TOFT_TREE_SITTER_POOL);    // before anything else of tree-sitter
 *     ts_set_allocator(TOFT_TREE_SITTER_CURRENT); // or this
 *
 * A parser keeps memory of its trees for the next: within uses of <toft/current.h>, let it live no
 * longer than they do. Neither needs to be deleted then. This header includes nothing of
 * tree-sitter's. */
#ifndef TOFT_ADAPT_TREE_SITTER_H
#define TOFT_ADAPT_TREE_SITTER_H

#include <toft/current.h>
#include <toft/malloc.h>

#define TOFT_TREE_SITTER_POOL toft_malloc, toft_calloc, toft_realloc, toft_free
#define TOFT_TREE_SITTER_CURRENT                                                                   \
    toft_current_alloc, toft_current_calloc, toft_current_resize, toft_current_free

#endif
