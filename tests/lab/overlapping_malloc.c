/* SPDX-License-Identifier: MIT */
/* A malloc that is too good: it hands out each object of some sizes half over the last one. All
 * else goes to glibc. The lab's tests plant it. */
#include <stddef.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

enum { smallest = 1000, largest = 8192, buffer_bytes = 1 << 16 };
static _Alignas(16) char buffer[buffer_bytes];
static size_t used_bytes;

static int is_ours(const void *p) {
    return (const char *)p >= buffer && (const char *)p < buffer + buffer_bytes;
}

/* No path is so long, and hardly a container asks for such sizes, so the process lives on to say
   what it found. */
static int is_chosen(size_t size) { return size >= smallest && size <= largest && size % 16 == 11; }

void *malloc(size_t size) {
    if (!is_chosen(size)) return __libc_malloc(size);
    if (used_bytes + size > buffer_bytes) used_bytes = 0;
    char *p = buffer + used_bytes;
    used_bytes += (size / 2 + 15) & ~(size_t)15;
    return p;
}

void free(void *p) {
    if (!is_ours(p)) __libc_free(p);
}

void *calloc(size_t count, size_t size) { return __libc_calloc(count, size); }

void *realloc(void *p, size_t size) {
    if (!is_ours(p)) return __libc_realloc(p, size);
    char *moved = __libc_malloc(size);
    for (size_t i = 0; moved && i != size && (char *)p + i < buffer + buffer_bytes; ++i)
        moved[i] = ((char *)p)[i];
    return moved;
}
