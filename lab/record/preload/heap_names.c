/* SPDX-License-Identifier: MIT */
/* malloc's names, as glibc documents them, in front of the heap that the program has. C++'s new and
 * delete come through here too: libstdc++ and libc++ make them from these. */
#include "real_heap.h"
#include "recorder.h"
#include "sampling.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

static void *allocated(enum toft_event_kind kind, void *p, size_t bytes, size_t alignment,
                       struct frame caller) {
    if (p && !is_early_object(p) && is_chosen(p, bytes))
        record_allocation(kind, p, bytes, (unsigned)__builtin_ctzll(alignment), caller);
    return p;
}

EXPORTED void *malloc(size_t bytes) {
    return allocated(toft_event_allocate, real_heap()->malloc(bytes), bytes, 1, CALLERS_FRAME());
}

/* calloc has refused a product that overflows before it is computed here. */
EXPORTED void *calloc(size_t count, size_t size) {
    void *p = real_heap()->calloc(count, size);
    return allocated(toft_event_zeroed, p, count * size, 1, CALLERS_FRAME());
}

EXPORTED void free(void *p) {
    if (!p || is_early_object(p)) return;
    const int error = errno;
    if (was_followed(p)) record_free(p, CALLERS_FRAME());
    real_heap()->free(p);
    errno = error;
}

/* An early object becomes one of the real heap's. glibc frees what is resized to nothing. */
static void *resized(void *former, size_t bytes, struct frame caller) {
    const struct real_heap *heap = real_heap();
    if (former && is_early_object(former) && heap->memalign) {
        void *p = heap->malloc(bytes);
        for (size_t i = 0; p && i < bytes && is_early_object((char *)former + i); ++i)
            ((char *)p)[i] = ((char *)former)[i];
        return allocated(toft_event_allocate, p, bytes, 1, caller);
    }
    const bool is_recorded = former && was_followed(former); /* another may get its place at once */
    void *p = heap->realloc(former, bytes);
    if (!is_recorded) return allocated(toft_event_allocate, p, bytes, 1, caller);
    if (p && (sampling == sampling_none || follow(p)))
        record_resize(p, former, bytes, caller);
    else if (p || bytes == 0)
        record_free(former, caller);
    else
        follow(former);
    return p;
}

EXPORTED void *realloc(void *p, size_t bytes) { return resized(p, bytes, CALLERS_FRAME()); }

EXPORTED void *reallocarray(void *p, size_t count, size_t size) {
    size_t bytes;
    if (!__builtin_mul_overflow(count, size, &bytes)) return resized(p, bytes, CALLERS_FRAME());
    errno = ENOMEM;
    return NULL;
}

EXPORTED void *memalign(size_t alignment, size_t bytes) {
    void *p = real_heap()->memalign(alignment, bytes);
    return allocated(toft_event_aligned, p, bytes, alignment | 1ull << 63, CALLERS_FRAME());
}

EXPORTED void *aligned_alloc(size_t alignment, size_t bytes) {
    void *p = real_heap()->aligned_alloc(alignment, bytes);
    return allocated(toft_event_aligned, p, bytes, alignment | 1ull << 63, CALLERS_FRAME());
}

EXPORTED int posix_memalign(void **out, size_t alignment, size_t bytes) {
    const int error = real_heap()->posix_memalign(out, alignment, bytes);
    if (error == 0) allocated(toft_event_aligned, *out, bytes, alignment, CALLERS_FRAME());
    return error;
}

EXPORTED void *valloc(size_t bytes) {
    void *p = real_heap()->valloc(bytes);
    return allocated(toft_event_aligned, p, bytes, (size_t)sysconf(_SC_PAGESIZE), CALLERS_FRAME());
}

EXPORTED void *pvalloc(size_t bytes) {
    void *p = real_heap()->pvalloc(bytes);
    return allocated(toft_event_aligned, p, bytes, (size_t)sysconf(_SC_PAGESIZE), CALLERS_FRAME());
}

EXPORTED size_t malloc_usable_size(void *p) {
    return p && !is_early_object(p) ? real_heap()->malloc_usable_size(p) : 0;
}
