/* SPDX-License-Identifier: MIT */
/* A malloc that takes some microseconds longer than glibc's for each allocation, and 4 KiB more.
   The lab's tests plant it. */
#include <stddef.h>

extern void *__libc_malloc(size_t);

enum { wasted_steps = 4000, wasted_bytes = 4096 };

void *malloc(size_t size) {
    for (volatile int i = 0; i != wasted_steps; ++i) {}
    char *block = __libc_malloc(size + wasted_bytes);
    if (block) ((volatile char *)block)[size + wasted_bytes - 1] = 1;
    return block;
}
