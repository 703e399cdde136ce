/* SPDX-License-Identifier: MIT */
/* A pool's heap: blocks from the upstream, whose units become spans and back: see heap.c. */
#ifndef TOFT_POOL_HEAP_H
#define TOFT_POOL_HEAP_H

#include "os/os.h"
#include "pool/idle.h"
#include "pool/span.h"
#include "process/lock.h"

/* While fewer bytes than this were taken from its spans, the heap grows by single segments: a huge
   page is touched as a whole, and where many sizes are mixed, much of it may stay free. While the
   pool as a whole is that small, a segment may come from an idle mapping of large objects:
   large_room.c. */
#define TOFT_HEAP_SINGLE_SEGMENTS_BYTES ((size_t)8 << 20)

/* Blocks from the upstream, and the segments in them. */
typedef struct toft_heap {
    toft_os_mutex growth;          /* held by the thread that makes a block */
    toft_os_mutex lock;            /* of the rest */
    const toft_upstream *upstream; /* NULL: the system */
    size_t limit_bytes;            /* 0: none */
    size_t keep_bytes;             /* how much may lie idle; 0: as much as is worth it */
    size_t reserved_bytes;         /* large objects included */
    size_t grown_bytes;            /* see toft_heap_note_grown; atomic */
    size_t high_water_bytes;
    size_t upstream_allocations;
    size_t upstream_frees;
    size_t block_bytes;                        /* of reserved_bytes, for small objects */
    toft_block *blocks;                        /* those that hold spans */
    toft_block *unused_blocks;                 /* the others */
    toft_block *sparse;                        /* the newest that is_sparse, or NULL */
    unsigned huge_left;                        /* blocks until another is: see heap.c */
    toft_segment *segments[TOFT_SPAN_LENGTHS]; /* with free units, by the longest span that fits */
    size_t dirty_units;                        /* free, and touched before: idle memory */
    size_t dirty_low_units;                    /* the least of those since the last step of decay */
    size_t free_units;
    toft_idle idle;
    toft_debt debt_units;           /* of those idle */
    toft_block *sweep_next;         /* where the sweep between spans goes on, and */
    unsigned sweep_longest;         /* in which of the segments: see heap_idle.c */
    struct toft_left_mapping *left; /* given up, but still mapped: see toft_heap_unmap_left */
    unsigned discards;              /* segments whose idle units are out meanwhile */
} toft_heap;

/* Only the system's pages can stay and lose their contents, and move when they are lengthened. */
static inline bool toft_heap_from_system(const toft_heap *heap) { return heap->upstream == NULL; }

/* Memory given to an upstream that takes none back would be lost: it is kept. */
static inline bool toft_heap_takes_back(const toft_heap *heap) {
    return toft_heap_from_system(heap) || heap->upstream->free != NULL;
}

/* Nothing goes back to a user's upstream in the handler of a fork: its own locks may be held by a
   handler that comes later. */
static inline bool toft_heap_may_give_back(const toft_heap *heap) {
    return toft_heap_from_system(heap) || !toft_this_thread_forks();
}

/* Whether other threads discard units. Never in a fork's handlers: they would wait for ever. */
static inline bool toft_heap_is_discarding(const toft_heap *heap) {
    return __atomic_load_n(&heap->discards, __ATOMIC_RELAXED) != 0 && !toft_this_thread_forks();
}

/* Whether more memory may be mapped for a request that finds no room in what there is. */
typedef enum toft_growth { toft_no_growth, toft_may_grow } toft_growth;

/* NULL when out of memory, or when the heap would have to grow and may not. *untouched: none of its
   memory has been written since the system mapped it. It may wait for the system: no depot is to be
   locked meanwhile. */
toft_span *toft_heap_take(toft_pool *pool, const toft_span_shape *shape, toft_growth growth,
                          bool *untouched);
void toft_heap_give(toft_pool *pool, toft_span *span);
/* Pages were taken that the system has yet to give, for small or large objects: those until
   toft_pool_balance looks. Relaxed: it is a hint. */
static inline void toft_heap_note_grown(toft_heap *heap, size_t bytes) {
    if (bytes != 0) __atomic_fetch_add(&heap->grown_bytes, bytes, __ATOMIC_RELAXED);
}
/* What spans have. */
static inline size_t toft_heap_used_bytes(const toft_heap *heap) {
    return heap->block_bytes - heap->free_units * TOFT_UNIT_BYTES;
}

/* --- what lies idle goes back: heap_idle.c --- */

/* Gives idle memory back until at most keep_bytes of it are left. */
void toft_heap_trim(toft_pool *pool, size_t keep_bytes);
/* Begins to give back what has been idle since the last step, but for so many halvings of it. */
void toft_heap_decay(toft_pool *pool, unsigned halvings);
/* Goes on with it: 1 MiB. No lock is held. */
void toft_heap_decay_on(toft_pool *pool);
static inline bool toft_heap_owes(const toft_heap *heap) {
    return toft_debt_is_owed(&heap->debt_units);
}
/* A hint, as it is without the lock. */
static inline size_t toft_heap_idle_bytes(const toft_heap *heap) {
    return __atomic_load_n(&heap->dirty_units, __ATOMIC_RELAXED) * TOFT_UNIT_BYTES;
}
/* Gives some back where too much is idle, since a segment has more of it now: blocks without a
   span, as a rule. The heap's lock must be held; it may be free meanwhile. */
void toft_heap_shed(toft_pool *pool, toft_segment *grown);
void toft_heap_destroy(toft_pool *pool);

/* Makes a block of the segments that lie within memory of the system's, which large objects had:
   the end of a mapping (is_end), or all of it. The rest of that memory goes back. */
void toft_heap_adopt(toft_pool *pool, void *memory, size_t bytes, bool is_end);

/* --- where its memory comes from: heap_memory.c --- */

/* Memory from the upstream, counted; NULL for a limit too. The heap's lock must be held. */
void *toft_heap_map(toft_pool *pool, size_t bytes, size_t alignment);
/* Counts it as given back. The system takes many milliseconds for much memory: it gets it when
   toft_heap_unmap_left is called with no lock held; at once where there is a limit, which is one of
   what is mapped. The heap's lock must be held here. */
void toft_heap_unmap(toft_pool *pool, void *memory, size_t bytes, size_t alignment);
/* To be called at the end of whatever may give memory up, with no lock held. */
void toft_heap_unmap_left_slow(toft_heap *heap);
static inline void toft_heap_unmap_left(toft_heap *heap) {
    /* Relaxed: what this thread left it sees, and the rest is for who left it. */
    if (TOFT_UNLIKELY(__atomic_load_n(&heap->left, __ATOMIC_RELAXED) != NULL))
        toft_heap_unmap_left_slow(heap);
}
/* Whether so many bytes could be had if nothing else were. Where not, giving back what is idle is
   in vain. */
bool toft_heap_could_map(const toft_pool *pool, size_t bytes);
/* For so many bytes that were refused: gives what is idle in the process back to the system. False
   where that can't be done, or is no help, since the limit or an upstream has refused them. To be
   called with no lock held. */
bool toft_heap_reclaim_everything(toft_pool *pool, size_t bytes);
/* Gives some bytes, or 0, at either end of a mapping of the system's back. */
void toft_heap_cut(toft_pool *pool, void *memory, size_t bytes);
/* Gives a mapping of the system's another size; contents stay. Returns where it is then; NULL where
   that can't be done, and nothing has changed. What it has no more goes back as with
   toft_heap_unmap. The heap's lock must be held. */
void *toft_heap_remap(toft_pool *pool, void *memory, size_t bytes, size_t new_bytes);

/* A mapping that a destroyed pool has left: see toft_segments_take. Counted as mapped; NULL for a
   limit too. The heap's lock must be held. */
void *toft_heap_take_kept(toft_pool *pool, size_t bytes, size_t alignment, unsigned *touched_units);
/* Leaves one to other pools, instead of unmapping it. False where it can't be kept. The map has
   room for all of it from then on, which what was moved may have lacked. */
bool toft_heap_keep(toft_pool *pool, void *memory, size_t bytes, unsigned touched_units);

#endif
