/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_REAL_HEAP_H
#define TOFT_LAB_RECORD_REAL_HEAP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

enum { not_looked_up, being_looked_up, looked_up };

extern struct real_heap found_heap;
extern atomic_int real_heap_state;

void find_real_heap(void);

/* The first call comes from the loader, when there is one thread. */
static inline const struct real_heap *real_heap(void) {
    if (atomic_load_explicit(&real_heap_state, memory_order_acquire) == not_looked_up)
        find_real_heap();
    return &found_heap;
}

/* The path of the heap's library when C++'s operators are in it too, where they may take memory
 * without a call of malloc; NULL: they aren't. */
const char *heap_with_operators(void);

enum { early_bytes = 64 << 10 };
extern unsigned char early_objects[early_bytes];

/* Whether the object is of the small one: it is never freed, and nobody records it. */
static inline bool is_early_object(const void *p) {
    return (uintptr_t)p - (uintptr_t)early_objects < early_bytes;
}

#endif
