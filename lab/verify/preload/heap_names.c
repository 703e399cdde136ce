/* SPDX-License-Identifier: MIT */
/* malloc's names, as glibc documents them, in front of the heap that the program has. C++'s new and
 * delete come through here too: libstdc++ and libc++ make them from these. */
#include "record/preload/real_heap.h"
#include "regions.h"
#include "verifier.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void *malloc(size_t bytes) {
    void *p = place_advised(bytes, 0, THIS_CALL());
    return p ? p : real_heap()->malloc(bytes);
}

EXPORTED void *calloc(size_t count, size_t size) {
    size_t bytes;
    void *p = __builtin_mul_overflow(count, size, &bytes) ? NULL : place_zeroed(bytes, THIS_CALL());
    return p ? p : real_heap()->calloc(count, size);
}

static inline __attribute__((always_inline)) void freed(void *p, struct call_site call) {
    if (!p || is_early_object(p)) return;
    if (is_placed(p)) {
        free_placed(p, call);
        return;
    }
    see_call(call);
    real_heap()->free(p);
}

EXPORTED void free(void *p) { freed(p, THIS_CALL()); }

/* C23's, which a heap may have. */
EXPORTED void free_sized(void *p, size_t bytes);
EXPORTED void free_aligned_sized(void *p, size_t alignment, size_t bytes);

void free_sized(void *p, size_t bytes) {
    (void)bytes;
    freed(p, THIS_CALL());
}

void free_aligned_sized(void *p, size_t alignment, size_t bytes) {
    (void)alignment, (void)bytes;
    freed(p, THIS_CALL());
}

/* An early object becomes one of the real heap's. */
static void *resized_early(void *former, size_t bytes) {
    char *p = real_heap()->malloc(bytes);
    for (size_t i = 0; p && i < bytes && is_early_object((char *)former + i); ++i)
        p[i] = ((char *)former)[i];
    return p;
}

static void *resized(void *former, size_t bytes, struct call_site call) {
    if (!former) {
        void *p = place_advised(bytes, 0, call);
        return p ? p : real_heap()->realloc(NULL, bytes);
    }
    if (is_placed(former)) return resize_placed(former, bytes, call);
    see_call(call);
    if (is_early_object(former) && real_heap()->memalign) return resized_early(former, bytes);
    return real_heap()->realloc(former, bytes);
}

EXPORTED void *realloc(void *p, size_t bytes) { return resized(p, bytes, THIS_CALL()); }

EXPORTED void *reallocarray(void *p, size_t count, size_t size) {
    size_t bytes;
    if (!__builtin_mul_overflow(count, size, &bytes)) return resized(p, bytes, THIS_CALL());
    errno = ENOMEM;
    return NULL;
}

/* What is no power of two is for the real heap to refuse, or to round. */
static bool is_alignment(size_t alignment) {
    return alignment != 0 && (alignment & (alignment - 1)) == 0;
}

static void *placed(size_t alignment, size_t bytes, struct call_site call) {
    return is_alignment(alignment) ? place_advised(bytes, alignment, call) : NULL;
}

EXPORTED void *memalign(size_t alignment, size_t bytes) {
    void *p = placed(alignment, bytes, THIS_CALL());
    return p ? p : real_heap()->memalign(alignment, bytes);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t bytes) {
    void *p = placed(alignment, bytes, THIS_CALL());
    return p ? p : real_heap()->aligned_alloc(alignment, bytes);
}

EXPORTED int posix_memalign(void **out, size_t alignment, size_t bytes) {
    void *p = alignment % sizeof(void *) == 0 ? placed(alignment, bytes, THIS_CALL()) : NULL;
    if (!p) return real_heap()->posix_memalign(out, alignment, bytes);
    *out = p;
    return 0;
}

EXPORTED void *valloc(size_t bytes) {
    void *p = placed((size_t)sysconf(_SC_PAGESIZE), bytes, THIS_CALL());
    return p ? p : real_heap()->valloc(bytes);
}

/* All of its last page is the program's. */
EXPORTED void *pvalloc(size_t bytes) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), rounded = (bytes + page - 1) & ~(page - 1);
    void *p = rounded < bytes ? NULL : placed(page, rounded, THIS_CALL());
    return p ? p : real_heap()->pvalloc(bytes);
}

EXPORTED size_t malloc_usable_size(void *p) {
    if (!p || is_early_object(p)) return 0;
    return is_placed(p) ? placed_bytes(p) : real_heap()->malloc_usable_size(p);
}
