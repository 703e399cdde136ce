/* SPDX-License-Identifier: MIT */
/* Counts what a process asks of glibc's heap. C++'s new and delete come through here too, the
 * sized and aligned forms included, since libstdc++ makes them from malloc, aligned_alloc and free.
 * Counting costs an atomic addition or two each time: a counted run is never a timed one. */
#include "heap_counter.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* glibc's own entry points: calling them, and not the next library's malloc by dlsym, which itself
 * allocates, needs no bootstrap. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

#define EXPORTED __attribute__((visibility("default")))

EXPORTED toft_heap_counts_read_fn toft_heap_counts_read;

/* Nothing is published through the counters, so relaxed order does. */
static atomic_uint_fast64_t allocations, deallocations, bytes;

static void add(atomic_uint_fast64_t *counter, uint64_t n) {
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

static void *counted(void *p, size_t size) {
    if (p) {
        add(&allocations, 1);
        add(&bytes, size);
    }
    return p;
}

void toft_heap_counts_read(struct toft_heap_counts *out) {
    out->allocations = atomic_load_explicit(&allocations, memory_order_relaxed);
    out->deallocations = atomic_load_explicit(&deallocations, memory_order_relaxed);
    out->bytes = atomic_load_explicit(&bytes, memory_order_relaxed);
}

EXPORTED void *malloc(size_t size) { return counted(__libc_malloc(size), size); }

/* calloc has refused a product that overflows before it is computed here. */
EXPORTED void *calloc(size_t count, size_t size) {
    void *p = __libc_calloc(count, size);
    return p ? counted(p, count * size) : NULL;
}

EXPORTED void free(void *p) {
    if (p) add(&deallocations, 1);
    __libc_free(p);
}

/* A reallocation counts as one deallocation of the old block and one allocation of the new. */
static void *resized(void *p, size_t size) {
    const bool had_block = p != NULL;
    void *moved = __libc_realloc(p, size);
    if (had_block && (moved || size == 0)) add(&deallocations, 1);
    return counted(moved, size);
}

static void *aligned(size_t alignment, size_t size) {
    return counted(__libc_memalign(alignment, size), size);
}

EXPORTED void *realloc(void *p, size_t size) { return resized(p, size); }

EXPORTED void *reallocarray(void *p, size_t count, size_t size) {
    size_t product;
    if (!__builtin_mul_overflow(count, size, &product)) return resized(p, product);
    errno = ENOMEM;
    return NULL;
}

EXPORTED void *memalign(size_t alignment, size_t size) { return aligned(alignment, size); }

EXPORTED void *aligned_alloc(size_t alignment, size_t size) { return aligned(alignment, size); }

EXPORTED int posix_memalign(void **out, size_t alignment, size_t size) {
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0) return EINVAL;
    void *p = aligned(alignment, size);
    if (!p) return ENOMEM;
    *out = p;
    return 0;
}
