/* SPDX-License-Identifier: MIT */
/* A malloc in one file, to be measured with --preload: it moves a pointer and never frees. A
 * block's size stands in front of it, for realloc. The memory is reserved once and costs nothing
 * until it is touched. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { header_bytes = 16 };
static const size_t reserved_bytes = (size_t)64 << 30;

static _Atomic(char *) reserved;
static atomic_size_t used_bytes;

static char *reserve(void) {
    char *memory = mmap(NULL, reserved_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    char *other = NULL;
    if (atomic_compare_exchange_strong(&reserved, &other, memory)) return memory;
    munmap(memory, reserved_bytes); /* another thread was first */
    return other;
}

void *aligned_alloc(size_t alignment, size_t size) {
    char *first = atomic_load(&reserved);
    if (!first && !(first = reserve())) return NULL;
    if (alignment < header_bytes) alignment = header_bytes;
    if (size > reserved_bytes || alignment > reserved_bytes) return NULL;
    const size_t most = header_bytes + alignment + size;
    const size_t at = atomic_fetch_add(&used_bytes, most);
    if (at > reserved_bytes || most > reserved_bytes - at) return NULL;
    const uintptr_t from = (uintptr_t)first + at + header_bytes;
    char *block = first + at + header_bytes + (-from & (alignment - 1));
    memcpy(block - header_bytes, &size, sizeof size);
    return block;
}

void *malloc(size_t size) { return aligned_alloc(header_bytes, size); }

void free(void *block) { (void)block; }

void *calloc(size_t count, size_t size) {
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) return NULL;
    return malloc(bytes); /* fresh memory is zero, and none comes twice */
}

void *realloc(void *block, size_t size) {
    if (!block) return malloc(size);
    size_t old;
    memcpy(&old, (char *)block - header_bytes, sizeof old);
    void *moved = malloc(size);
    if (moved) memcpy(moved, block, old < size ? old : size);
    return moved;
}

int posix_memalign(void **out, size_t alignment, size_t size) {
    void *block = aligned_alloc(alignment, size);
    if (!block) return ENOMEM;
    *out = block;
    return 0;
}

void *memalign(size_t alignment, size_t size) { return aligned_alloc(alignment, size); }
