/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_REAL_HEAP_H
#define TOFT_LAB_RECORD_REAL_HEAP_H

#include <stdbool.h>
#include <stddef.h>

/* The heap that the program has without the recorder: the next library's, which may be another
 * than glibc's. While it is looked up, which may allocate, a small one of our own serves. */

struct real_heap {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*memalign)(size_t, size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
    void (*free)(void *);
    size_t (*malloc_usable_size)(void *);
};

const struct real_heap *real_heap(void);

/* Whether the object is of the small one: it is never freed, and nobody records it. */
bool is_early_object(const void *);

#endif
