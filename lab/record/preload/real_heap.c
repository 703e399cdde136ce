/* SPDX-License-Identifier: MIT */
#include "real_heap.h"

#include "module_file.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>

enum { early_alignment = 16 };

_Alignas(early_alignment) unsigned char early_objects[early_bytes];
static atomic_size_t early_used;

/* The memory is zeroed, and used once. */
static void *early_malloc(size_t bytes) {
    if (bytes > early_bytes) return NULL;
    const size_t rounded = (bytes + early_alignment - 1) & ~(size_t)(early_alignment - 1);
    const size_t at = atomic_fetch_add(&early_used, rounded + early_alignment);
    return at + rounded <= early_bytes ? early_objects + at : NULL;
}

static void *early_calloc(size_t count, size_t size) {
    size_t bytes;
    return __builtin_mul_overflow(count, size, &bytes) ? NULL : early_malloc(bytes);
}

static void *early_realloc(void *former, size_t bytes) {
    void *p = early_malloc(bytes);
    if (!p || !former) return p;
    const size_t readable = early_bytes - ((uintptr_t)former - (uintptr_t)early_objects);
    memmove(p, former, bytes < readable ? bytes : readable);
    return p;
}

static void early_free(void *p) { (void)p; }

struct real_heap found_heap = {
    .malloc = early_malloc, .calloc = early_calloc, .realloc = early_realloc, .free = early_free};

atomic_int real_heap_state;

static void *operator_new; /* the next library's, for sizes alone; NULL: there is none */

/* Most programs have no operator new. The next look-up that succeeds takes the error back, so that
 * they don't hear of it: dlerror() would, too, but it asks for the locale's translation of the
 * error, and the process's first allocation may come from newlocale(), which holds that lock. */
static void look_up(void) {
    struct real_heap next;
    operator_new = dlsym(RTLD_NEXT, "_Znwm");
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
    found_heap = next;
}

void find_real_heap(void) {
    atomic_store(&real_heap_state, being_looked_up);
    look_up();
    atomic_store_explicit(&real_heap_state, looked_up, memory_order_release);
}

const char *heap_with_operators(void) {
    static char room[2 * PATH_MAX];
    struct module_file of_operator, of_malloc;
    if (!operator_new || !find_module_file((uintptr_t)found_heap.malloc, &of_malloc, room) ||
        !find_module_file((uintptr_t)operator_new, &of_operator, room) ||
        of_operator.bias != of_malloc.bias)
        return NULL;
    return of_operator.path;
}
