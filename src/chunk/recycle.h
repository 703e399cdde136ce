/* SPDX-License-Identifier: MIT */
/* The process's store of released memory: blocks from the system, kept warm for the next arena.
 *
 *     thread's shelf   --too much-->   process's store   --too much-->   the system
 *     (no lock)        <-- empty --    (one lock)        <-- empty --
 *
 * Up to 1 MiB, blocks are runs of mappings that many share (runs.h); larger ones are mappings of
 * their own. A thread keeps powers of two from 64 KiB on, 1 MiB in all. The process keeps runs of
 * any size, and powers of two up to 16 MiB: 64 MiB in all, and 16 MiB of runs in any case. Other
 * sizes go back to the system at once. What the process keeps decays while nobody wants it: by
 * half, twice a second, driven by calls. A thread's exit moves its shelf to the process's store.
 * Any thread may give back what another took. The contents of a recycled block are unspecified. */
#ifndef TOFT_CHUNK_RECYCLE_H
#define TOFT_CHUNK_RECYCLE_H

#include <stdbool.h>
#include <stddef.h>

#include <toft/config.h>

#include "base/bits.h"
#include "chunk/store.h"
#include "process/thread.h"

#define TOFT_RECYCLED_MIN_BYTES ((size_t)64 << 10)
#define TOFT_SHELF_BYTES ((size_t)1 << 20)

/* The size to ask for, where a request may be rounded up: a power of two, which shelf and store
   keep, or a multiple of the huge page for the largest. */
static inline size_t toft_recycle_bytes(size_t bytes) {
    if (bytes <= TOFT_RECYCLED_MIN_BYTES) return TOFT_RECYCLED_MIN_BYTES;
    if (bytes > TOFT_RECYCLED_MAX_BYTES) return toft_align_up(bytes, TOFT_HUGE_PAGE_BYTES);
    return (size_t)1 << toft_log2_ceil(bytes);
}

/* The level of a size, which is a power of two from TOFT_RECYCLED_MIN_BYTES on. */
static inline unsigned toft_recycle_level(size_t bytes) {
    return toft_log2_ceil(bytes) - toft_log2_ceil(TOFT_RECYCLED_MIN_BYTES);
}

void *toft_recycle_take_slow(size_t bytes, size_t huge_bytes);
void toft_recycle_give_slow(void *memory, size_t bytes);

static inline bool toft_recycle_fits_shelf(size_t bytes) {
    return bytes - TOFT_RECYCLED_MIN_BYTES <= TOFT_SHELF_BYTES - TOFT_RECYCLED_MIN_BYTES &&
           (bytes & (bytes - 1)) == 0;
}

/* Takes a block of a level from the thread's shelf; NULL where it has none. */
static inline void *toft_recycle_take_warm(unsigned level) {
    toft_thread *mine = toft_this_thread;
    if (TOFT_UNLIKELY(!mine->shelves)) return NULL;
    toft_owned_enter(&mine->shelf_lock);
    toft_recycled *taken = toft_recycled_pop(&mine->shelf.blocks[level]);
    if (TOFT_LIKELY(taken != NULL)) mine->shelf.bytes -= TOFT_RECYCLED_MIN_BYTES << level;
    toft_owned_leave(&mine->shelf_lock);
    return taken;
}

/* At least bytes bytes, aligned to the page. What the system's rounding to its pages adds must not
   be used. The first huge_bytes of them, a multiple of the huge page, are backed by huge pages
   where the memory is new. NULL when the system has no memory. */
static inline void *toft_recycle_take(size_t bytes, size_t huge_bytes) {
    if (TOFT_UNLIKELY(!toft_recycle_fits_shelf(bytes)))
        return toft_recycle_take_slow(bytes, huge_bytes);
    void *taken = toft_recycle_take_warm(toft_recycle_level(bytes));
    return TOFT_LIKELY(taken != NULL) ? taken : toft_recycle_take_slow(bytes, 0);
}

/* Takes back what toft_recycle_take(bytes) returned. */
static inline void toft_recycle_give(void *memory, size_t bytes) {
    toft_thread *mine = toft_this_thread;
    bool kept = false;
    unsigned gives = mine->gives_until_look;
    if (TOFT_LIKELY(toft_recycle_fits_shelf(bytes) && gives != 0)) {
        mine->gives_until_look = gives - 1;
        unsigned level = toft_recycle_level(bytes);
        toft_owned_enter(&mine->shelf_lock);
        size_t kept_bytes = mine->shelf.bytes + (TOFT_RECYCLED_MIN_BYTES << level);
        kept = kept_bytes <= TOFT_SHELF_BYTES;
        if (TOFT_LIKELY(kept)) {
            toft_recycled_push(&mine->shelf.blocks[level], (toft_recycled *)memory);
            mine->shelf.bytes = kept_bytes;
        }
        toft_owned_leave(&mine->shelf_lock);
    }
    if (TOFT_UNLIKELY(!kept)) toft_recycle_give_slow(memory, bytes);
}

#endif
