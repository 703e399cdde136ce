/* SPDX-License-Identifier: MIT */
/* malloc's own names, for a library that is preloaded, or linked before the C library. They behave
 * as glibc documents them. */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/bits.h"
#include "malloc/door.h"
#include "os/os.h"

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void *malloc(size_t size) { return toft_door_alloc(size); }
EXPORTED void free(void *object) { toft_door_free(object, "free"); }
EXPORTED void *calloc(size_t count, size_t size) { return toft_door_calloc(count, size); }
EXPORTED void *realloc(void *object, size_t size) { return toft_door_realloc(object, size); }

EXPORTED void *reallocarray(void *object, size_t count, size_t size) {
    if (size != 0 && count > SIZE_MAX / size) {
        errno = ENOMEM;
        return NULL;
    }
    return toft_door_realloc(object, count * size);
}

/* --- aligned --- */

EXPORTED void *aligned_alloc(size_t alignment, size_t size) {
    return toft_door_aligned_alloc(alignment, size);
}

/* glibc's rounds an alignment up that is no power of two, as long as there is a next one. */
EXPORTED void *memalign(size_t alignment, size_t size) {
    if (alignment > SIZE_MAX / 2 + 1) {
        errno = EINVAL;
        return NULL;
    }
    size_t rounded = 16;
    while (rounded < alignment) rounded *= 2;
    return toft_door_alloc_aligned(rounded, size);
}

/* Says what went wrong by its result, and leaves errno and *object alone then. */
EXPORTED int posix_memalign(void **object, size_t alignment, size_t size) {
    if (!toft_is_power_of_two(alignment) || alignment % sizeof(void *) != 0) return EINVAL;
    int error = errno;
    void *allocated = toft_door_aligned_alloc(alignment, size);
    errno = error;
    if (allocated == NULL) return ENOMEM;
    *object = allocated;
    return 0;
}

EXPORTED void *valloc(size_t size) { return toft_door_alloc_aligned(toft_os_page_bytes(), size); }

EXPORTED void *pvalloc(size_t size) {
    size_t page_bytes = toft_os_page_bytes();
    if (size > PTRDIFF_MAX) {
        errno = ENOMEM;
        return NULL;
    }
    return toft_door_alloc_aligned(page_bytes, toft_align_up(size, page_bytes));
}

/* --- C23 --- */

EXPORTED void free_sized(void *object, size_t size);
EXPORTED void free_aligned_sized(void *object, size_t alignment, size_t size);

void free_sized(void *object, size_t size) {
    (void)size;
    toft_door_free(object, "free_sized");
}

void free_aligned_sized(void *object, size_t alignment, size_t size) {
    (void)alignment, (void)size;
    toft_door_free(object, "free_aligned_sized");
}

/* --- glibc exports some of them once more: their objects must be ours too --- */

#define SECOND_NAME(name)                                                                          \
    __asm__(".globl __libc_" #name "\n.type __libc_" #name ", %function\n"                         \
            ".set __libc_" #name ", " #name)
SECOND_NAME(malloc);
SECOND_NAME(free);
SECOND_NAME(calloc);
SECOND_NAME(realloc);
SECOND_NAME(memalign);
SECOND_NAME(valloc);
SECOND_NAME(pvalloc);
