/* SPDX-License-Identifier: MIT */
/* What a store keeps for the next large object of its step, in a list for each. The store's lock is
 * held. */
#ifndef TOFT_POOL_LARGE_KEPT_H
#define TOFT_POOL_LARGE_KEPT_H

#include "base/check.h"
#include "os/tracking.h"
#include "pool/large.h"

/* The record of one, whose memory is NULL where none is kept. */
static inline toft_large toft_kept_pop(toft_large_store *store, unsigned list) {
    toft_large *kept = list < TOFT_LARGE_CLASSES ? store->kept[list] : NULL;
    if (kept == NULL) return (toft_large){.memory = NULL};
    toft_large record = *kept;
    store->kept[list] = record.next;
    if (toft_tracking()) toft_track_allocated(record.memory, record.bytes);
    return record;
}

static inline void toft_kept_push(toft_large_store *store, unsigned list, toft_run_block *block,
                                  void *memory, size_t bytes) {
    toft_large *kept = memory;
    *kept =
        (toft_large){.next = store->kept[list], .block = block, .memory = memory, .bytes = bytes};
    store->kept[list] = kept;
    if (toft_tracking()) toft_track_free(kept + 1, bytes - sizeof *kept);
}

/* --- mappings of their own --- */

/* One of the lists from first to last, which may be the lower one; its memory is NULL where none is
   kept. */
static inline toft_large toft_kept_pop_own(toft_large_store *store, unsigned first, unsigned last) {
    toft_large kept;
    for (unsigned list = first;; list += first < last ? 1 : -1U) {
        kept = toft_kept_pop(store, list);
        if (kept.memory != NULL || list == last) break;
    }
    if (kept.memory != NULL) store->kept_own_bytes -= kept.bytes;
    return kept;
}

/* A mapping serves an object of its step, and those of so many lower ones: nearly twice as long is
   long enough, since another may have grown to that. */
#define TOFT_KEPT_LONGER 7U

/* Whether one is kept that serves so many bytes as it is. */
static inline bool toft_kept_serves(const toft_large_store *store, size_t bytes) {
    unsigned list = toft_large_class(bytes), last = list + TOFT_KEPT_LONGER;
    while (list < TOFT_LARGE_CLASSES && list < last && store->kept[list] == NULL) list++;
    return list < TOFT_LARGE_CLASSES && store->kept[list] != NULL;
}

/* The longest one that is kept, if it has so many bytes. None is beyond the last list's step. */
static inline toft_large toft_kept_pop_longest(toft_large_store *store, size_t bytes) {
    unsigned least = toft_large_class(bytes);
    if (store->kept_own_bytes < bytes || least >= TOFT_LARGE_CLASSES)
        return (toft_large){.memory = NULL};
    return toft_kept_pop_own(store, TOFT_LARGE_CLASSES - 1, least);
}

/* The longest step of at most so many bytes; 0 where there is none beyond a run's. */
static inline size_t toft_kept_step(size_t bytes) {
    if (bytes <= TOFT_RUN_MAX_BYTES) return 0;
    unsigned log2 = toft_log2_ceil(bytes + 1) - 1;
    size_t step = bytes & ~(((size_t)1 << (log2 - 3)) - 1);
    return step > TOFT_RUN_MAX_BYTES ? step : 0;
}

/* A mapping that was cut is longer than its step. */
static inline void toft_kept_push_own(toft_large_store *store, void *memory, size_t bytes) {
    TOFT_ASSERT(toft_kept_step(bytes) != 0);
    toft_kept_push(store, toft_large_class(toft_kept_step(bytes)), NULL, memory, bytes);
    store->kept_own_bytes += bytes;
}

/* One that had so many bytes and begins at an address; its memory is NULL where it isn't kept any
   more, or not among the last ones. */
static inline toft_large toft_kept_pop_at(toft_large_store *store, const void *begin,
                                          size_t bytes) {
    enum { looked_at_max = 16 };
    unsigned list = toft_large_class(toft_kept_step(bytes));
    toft_large **link = &store->kept[list];
    for (unsigned i = 0; i < looked_at_max && *link != NULL; i++, link = &(*link)->next) {
        if (*link != begin) continue;
        toft_large kept = **link;
        *link = kept.next;
        store->kept_own_bytes -= kept.bytes;
        return kept;
    }
    return (toft_large){.memory = NULL};
}

#endif
