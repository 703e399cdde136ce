/* SPDX-License-Identifier: MIT */
#include "real_heap.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

enum { early_bytes = 64 << 10, early_alignment = 16 };

static _Alignas(early_alignment) unsigned char early[early_bytes];
static atomic_size_t early_used;

bool is_early_object(const void *p) { return (uintptr_t)p - (uintptr_t)early < early_bytes; }

/* The memory is zeroed, and used once. */
static void *early_malloc(size_t bytes) {
    if (bytes > early_bytes) return NULL;
    const size_t rounded = (bytes + early_alignment - 1) & ~(size_t)(early_alignment - 1);
    const size_t at = atomic_fetch_add(&early_used, rounded + early_alignment);
    return at + rounded <= early_bytes ? early + at : NULL;
}

static void *early_calloc(size_t count, size_t size) {
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : early_malloc(bytes);
}

static void *early_realloc(void *former, size_t bytes) {
    void *p = early_malloc(bytes);
    if (!p || !former) return p;
    const size_t readable = early_bytes - ((uintptr_t)former - (uintptr_t)early);
    memmove(p, former, bytes < readable ? bytes : readable);
    return p;
}

static void early_free(void *p) { (void)p; }

static struct real_heap found = {
    .malloc = early_malloc, .calloc = early_calloc, .realloc = early_realloc, .free = early_free};

enum { not_looked_up, being_looked_up, looked_up };
static atomic_int state;

static void look_up(void) {
    struct real_heap next;
    const struct {
        const char *name;
        void *to;
    } names[] = {
        {"malloc", &next.malloc},
        {"calloc", &next.calloc},
        {"realloc", &next.realloc},
        {"memalign", &next.memalign},
        {"posix_memalign", &next.posix_memalign},
        {"aligned_alloc", &next.aligned_alloc},
        {"valloc", &next.valloc},
        {"pvalloc", &next.pvalloc},
        {"free", &next.free},
        {"malloc_usable_size", &next.malloc_usable_size},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        void *function = dlsym(RTLD_NEXT, names[i].name);
        memcpy(names[i].to, &function, sizeof function);
    }
    found = next;
}

/* The first call comes from the loader, when there is one thread. */
const struct real_heap *real_heap(void) {
    if (__builtin_expect(atomic_load_explicit(&state, memory_order_acquire) == not_looked_up, 0)) {
        atomic_store(&state, being_looked_up);
        look_up();
        atomic_store_explicit(&state, looked_up, memory_order_release);
    }
    return &found;
}
