/* SPDX-License-Identifier: MIT */
/* The process's store of released memory: blocks from the system, kept warm for the next arena.
 *
 *     thread's shelf   --too much-->   process's depot   --too much-->   the system
 *     (no lock)        <-- empty --    (one lock)        <-- empty --
 *
 * Blocks of a power of two from 64 KiB to 16 MiB are kept; others come from the system and go back
 * at once. A thread keeps at most 1 MiB, the process 64 MiB; a thread's exit moves its shelf to the
 * depot. Any thread may give back what another took. The contents of a recycled block are
 * unspecified. */
#ifndef TOFT_CHUNK_RECYCLE_H
#define TOFT_CHUNK_RECYCLE_H

#include <stddef.h>

#include "base/bits.h"
#include "os/os.h"

#define TOFT_RECYCLED_MIN_BYTES ((size_t)64 << 10)
#define TOFT_RECYCLED_MAX_BYTES ((size_t)16 << 20)
#define TOFT_SHELF_BYTES ((size_t)1 << 20)
#define TOFT_DEPOT_BYTES ((size_t)64 << 20)

/* What is really taken for bytes: a power of two, or a multiple of the huge page for the largest.
 */
static inline size_t toft_recycle_bytes(size_t bytes) {
    if (bytes <= TOFT_RECYCLED_MIN_BYTES) return TOFT_RECYCLED_MIN_BYTES;
    if (bytes > TOFT_RECYCLED_MAX_BYTES) return toft_align_up(bytes, TOFT_HUGE_PAGE_BYTES);
    return (size_t)1 << toft_log2_ceil(bytes);
}

/* toft_recycle_bytes(bytes) bytes, aligned to the page, from TOFT_HUGE_PAGE_BYTES on to that. NULL
   when the system has no more. Some 10 instructions when the thread's shelf has it. */
void *toft_recycle_take(size_t bytes);

/* Takes back what toft_recycle_take(bytes) returned. */
void toft_recycle_give(void *memory, size_t bytes);

#endif
