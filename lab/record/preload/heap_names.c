/* SPDX-License-Identifier: MIT */
/* malloc's names, as glibc documents them, in front of the heap that the program has. C++'s new and
 * delete come through here too: libstdc++ and libc++ make them from these. */
#include "output.h"
#include "real_heap.h"
#include "recorder.h"
#include "sampling.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))
#define SLOW __attribute__((noinline)) /* so that the fast path needs no frame */

/* With --sample most objects aren't recorded. What they cost is what stands before the first return
 * of malloc, calloc, free and realloc: a few instructions, without a frame of their own, and a jump
 * to the heap. */

static void *allocated(enum toft_event_kind kind, void *p, size_t bytes, unsigned alignment_log2,
                       struct call_site call) {
    if (p && is_chosen(p, bytes) && !is_early_object(p))
        record_allocation(kind, p, bytes, alignment_log2, call);
    return p;
}

/* The heap takes what is no power of two for the next one, and gives no less than malloc does. */
static unsigned rounded_log2(size_t alignment) {
    enum { of_malloc = 16 };
    const size_t most = alignment < of_malloc ? of_malloc : alignment;
    return (unsigned)(8 * sizeof most) - (unsigned)__builtin_clzl(most - 1);
}

static SLOW void *malloc_slow(size_t bytes, struct call_site call) {
    return allocated(toft_event_allocate, real_heap()->malloc(bytes), bytes, 0, call);
}

EXPORTED void *malloc(size_t bytes) {
    if (is_passed_over(bytes)) return found_heap.malloc(bytes);
    return malloc_slow(bytes, THIS_CALL());
}

/* The heap refuses a product that overflows. */
static SLOW void *calloc_slow(size_t count, size_t size, struct call_site call) {
    void *p = real_heap()->calloc(count, size);
    return allocated(toft_event_zeroed, p, count * size, 0, call);
}

EXPORTED void *calloc(size_t count, size_t size) {
    if (is_passed_over(count * size)) return found_heap.calloc(count, size);
    return calloc_slow(count, size, THIS_CALL());
}

/* Recording keeps errno, and so does the heap's own free since glibc 2.33. */
static SLOW void free_slow(void *p, struct call_site call) {
    if (!p || is_early_object(p)) return;
    if (was_followed(p)) record_free(p, call);
    real_heap()->free(p);
}

EXPORTED void free(void *p) {
    if (__builtin_expect(!may_be_followed(p) && !is_early_object(p), true))
        found_heap.free(p);
    else
        free_slow(p, THIS_CALL());
}

/* C23's, which a heap may have. */
EXPORTED void free_sized(void *p, size_t bytes);
EXPORTED void free_aligned_sized(void *p, size_t alignment, size_t bytes);

void free_sized(void *p, size_t bytes) {
    (void)bytes;
    free_slow(p, THIS_CALL());
}

void free_aligned_sized(void *p, size_t alignment, size_t bytes) {
    (void)alignment, (void)bytes;
    free_slow(p, THIS_CALL());
}

/* An object that isn't followed is chosen by what it grows by alone: so in the end it is
 * followed with the chance of an object that had its largest size at once. */
static size_t growth_of(void *former, size_t bytes) {
    const struct real_heap *heap = real_heap();
    if (!former || sampling != sampling_some || !heap->malloc_usable_size) return bytes;
    const size_t had = heap->malloc_usable_size(former);
    return bytes > had ? bytes - had : 0;
}

/* An early object becomes one of the real heap's. glibc frees what is resized to nothing. */
static SLOW void *resized_slow(void *former, size_t bytes, struct call_site call) {
    const struct real_heap *heap = real_heap();
    if (former && is_early_object(former)) {
        if (!heap->memalign) return heap->realloc(former, bytes); /* it is looked up just now */
        void *p = heap->malloc(bytes);
        for (size_t i = 0; p && i < bytes && is_early_object((char *)former + i); ++i)
            ((char *)p)[i] = ((char *)former)[i];
        return allocated(toft_event_allocate, p, bytes, 0, call);
    }
    const bool is_recorded = former && was_followed(former); /* another may get its place at once */
    const size_t growth = is_recorded ? 0 : growth_of(former, bytes);
    const bool may_go = bytes == 0 || sampling == sampling_some;
    const uint64_t begin_ticks = may_go ? ticks_now() : 0;
    void *p = heap->realloc(former, bytes);
    if (!is_recorded) {
        if (p && is_chosen(p, growth)) record_allocation(toft_event_allocate, p, bytes, 0, call);
    } else if (p && (sampling == sampling_none || follow(p)))
        record_resize(p, former, bytes, call);
    else if (p || bytes == 0)
        record_free_at(begin_ticks, former, call);
    else if (sampling == sampling_some)
        follow(former);
    return p;
}

EXPORTED void *realloc(void *p, size_t bytes) {
    if (!may_be_followed(p) && !is_early_object(p) && is_passed_over(growth_of(p, bytes)))
        return found_heap.realloc(p, bytes);
    return resized_slow(p, bytes, THIS_CALL());
}

EXPORTED void *reallocarray(void *p, size_t count, size_t size) {
    size_t bytes;
    if (!__builtin_mul_overflow(count, size, &bytes)) return resized_slow(p, bytes, THIS_CALL());
    errno = ENOMEM;
    return NULL;
}

EXPORTED void *memalign(size_t alignment, size_t bytes) {
    void *p = real_heap()->memalign(alignment, bytes);
    return allocated(toft_event_aligned, p, bytes, rounded_log2(alignment), THIS_CALL());
}

EXPORTED void *aligned_alloc(size_t alignment, size_t bytes) {
    void *p = real_heap()->aligned_alloc(alignment, bytes);
    return allocated(toft_event_aligned, p, bytes, rounded_log2(alignment), THIS_CALL());
}

EXPORTED int posix_memalign(void **out, size_t alignment, size_t bytes) {
    const int error = real_heap()->posix_memalign(out, alignment, bytes);
    if (error == 0)
        allocated(toft_event_aligned, *out, bytes, rounded_log2(alignment), THIS_CALL());
    return error;
}

static unsigned page_log2(void) { return rounded_log2((size_t)sysconf(_SC_PAGESIZE)); }

EXPORTED void *valloc(size_t bytes) {
    void *p = real_heap()->valloc(bytes);
    return allocated(toft_event_aligned, p, bytes, page_log2(), THIS_CALL());
}

EXPORTED void *pvalloc(size_t bytes) {
    void *p = real_heap()->pvalloc(bytes);
    return allocated(toft_event_aligned, p, bytes, page_log2(), THIS_CALL());
}

EXPORTED size_t malloc_usable_size(void *p) {
    return p && !is_early_object(p) ? real_heap()->malloc_usable_size(p) : 0;
}
