/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_FRESH_MEMORY_H
#define TOFT_LAB_RECORD_FRESH_MEMORY_H

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

/* Zeroed memory of the system's, of which is spent what is touched. NULL: there is none. Keeps
 * errno. */
static inline void *fresh_memory(size_t bytes) {
    const int error = errno;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    errno = error;
    return memory == MAP_FAILED ? NULL : memory;
}

#endif
