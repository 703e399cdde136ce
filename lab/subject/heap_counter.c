/* SPDX-License-Identifier: MIT */
/* Counts what a process asks of glibc's heap, and what it stores there. C++'s new and delete come
 * through here too, the sized and aligned forms included, since libstdc++ makes them from malloc,
 * aligned_alloc and free. All this costs time: a counted run is never a timed one.
 *
 * While stores are watched, each new object is filled with one byte, and when it is freed, those of
 * its bytes that are another one were written. Behind every object stands how large it is:
 *
 *      object, as large as was asked for │ what glibc rounds up │ trailer
 *      ◀──────────────── malloc_usable_size ────────────────────────────▶
 *
 * A trailer that isn't there, or that was overwritten, makes an object that isn't looked at. */
#include "heap_counter.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* glibc's own entry points: calling them, and not the next library's malloc by dlsym, which itself
 * allocates, needs no bootstrap. */
extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

#define EXPORTED __attribute__((visibility("default")))

EXPORTED toft_heap_counts_read_fn toft_heap_counts_read;
EXPORTED toft_heap_stores_read_fn toft_heap_stores_read;
EXPORTED toft_heap_stores_watch_fn toft_heap_stores_watch;

enum { largest_watched = 64 << 10 };

/* The mark holds the object's address too, so that a copy of a trailer isn't one. */
struct trailer {
    uint64_t size;
    uint64_t seed; /* of what its unwritten bytes are */
    uint64_t mark;
};
static const uint64_t mark_watched = 0x7A11E4B0C4ECCED5, mark_unwatched = 0x7A11E4B0C4ECCED4;

/* Nothing is published through these, so relaxed order does. */
static atomic_uint_fast64_t allocations, deallocations, bytes, stored_objects, stored_bytes;
static atomic_int watching;

static void add(atomic_uint_fast64_t *counter, uint64_t n) {
    atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

void toft_heap_counts_read(struct toft_heap_counts *out) {
    out->allocations = atomic_load_explicit(&allocations, memory_order_relaxed);
    out->deallocations = atomic_load_explicit(&deallocations, memory_order_relaxed);
    out->bytes = atomic_load_explicit(&bytes, memory_order_relaxed);
}

void toft_heap_stores_read(struct toft_heap_stores *out) {
    out->objects = atomic_load_explicit(&stored_objects, memory_order_relaxed);
    out->bytes = atomic_load_explicit(&stored_bytes, memory_order_relaxed);
}

void toft_heap_stores_watch(int on) { atomic_store_explicit(&watching, on, memory_order_relaxed); }

/* What to ask glibc for. A size so large that the trailer doesn't fit fails, as it would anyway. */
static size_t with_trailer(size_t size) {
    return size > SIZE_MAX - sizeof(struct trailer) ? SIZE_MAX : size + sizeof(struct trailer);
}

/* Another value in each object, and in each of its bytes. One for all would often be the value of a
 * byte which all pointers to a heap share. */
static unsigned char unwritten(uint64_t seed, size_t i) {
    return (unsigned char)((seed * 0x9E3779B97F4A7C15 + i * 0xD1B54A32D192ED03) >> 56);
}

static char *trailer_of(void *p) {
    return (char *)p + malloc_usable_size(p) - sizeof(struct trailer);
}

/* Its size is SIZE_MAX where the object isn't watched. */
static struct trailer trailer_if_watched(void *p) {
    struct trailer t = {.size = SIZE_MAX};
    if (malloc_usable_size(p) < sizeof t) return t;
    memcpy(&t, trailer_of(p), sizeof t);
    const bool watched = t.mark == (mark_watched ^ (uintptr_t)p) && t.size <= largest_watched;
    if (!watched) t.size = SIZE_MAX;
    return t;
}

/* Counts the object, of whose bytes so many keep what is in them. */
static void *counted_resized(void *p, size_t size, size_t kept, uint64_t seed) {
    if (!p) return NULL;
    add(&allocations, 1);
    add(&bytes, size);
    const bool watched =
        size <= largest_watched && atomic_load_explicit(&watching, memory_order_relaxed);
    if (watched)
        for (size_t i = kept; i < size; ++i) ((unsigned char *)p)[i] = unwritten(seed, i);
    const uint64_t mark = watched ? mark_watched : mark_unwatched;
    const struct trailer t = {size, seed, mark ^ (uintptr_t)p};
    memcpy(trailer_of(p), &t, sizeof t);
    return p;
}

static void *counted(void *p, size_t size, size_t kept) {
    return counted_resized(p, size, kept, atomic_load_explicit(&allocations, memory_order_relaxed));
}

static void look_at_stores(void *p) {
    const struct trailer t = trailer_if_watched(p);
    if (t.size == SIZE_MAX) return;
    uint64_t written = 0;
    for (size_t i = 0; i != t.size; ++i) written += ((unsigned char *)p)[i] != unwritten(t.seed, i);
    add(&stored_objects, 1);
    add(&stored_bytes, written);
}

EXPORTED void *malloc(size_t size) { return counted(__libc_malloc(with_trailer(size)), size, 0); }

/* Its zeros count as written. */
EXPORTED void *calloc(size_t count, size_t size) {
    size_t product;
    if (!__builtin_mul_overflow(count, size, &product))
        return counted(__libc_calloc(1, with_trailer(product)), product, product);
    errno = ENOMEM;
    return NULL;
}

static void released(void *p) {
    add(&deallocations, 1);
    look_at_stores(p);
    __libc_free(p);
}

EXPORTED void free(void *p) {
    if (p) released(p);
}

/* A reallocation counts as one deallocation of the old block and one allocation of the new. What
 * was stored in the old one is looked at when the new one is freed. */
static void *resized(void *p, size_t size) {
    if (!p) return counted(__libc_malloc(with_trailer(size)), size, 0);
    if (size == 0) {
        released(p);
        return NULL;
    }
    const struct trailer was = trailer_if_watched(p);
    void *moved = __libc_realloc(p, with_trailer(size));
    if (moved) add(&deallocations, 1);
    return counted_resized(moved, size, (size_t)was.size, was.seed);
}

static void *aligned(size_t alignment, size_t size) {
    return counted(__libc_memalign(alignment, with_trailer(size)), size, 0);
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
