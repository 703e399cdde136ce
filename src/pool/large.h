/* SPDX-License-Identifier: MIT */
/* A pool's objects beyond TOFT_POOL_SMALL_MAX: see large.c. */
#ifndef TOFT_POOL_LARGE_H
#define TOFT_POOL_LARGE_H

#include <toft/pool.h>

#include "chunk/runs.h"
#include "chunk/spare.h"
#include "os/os.h"
#include "pool/heap.h"
#include "pool/idle.h"
#include "pool/map.h"

/* In front of such an object. */
typedef struct toft_large {
    struct toft_large *prev, *next; /* of live mappings of their own, or of what is kept */
    toft_run_block *block;          /* NULL for a mapping of its own */
    void *memory;                   /* the run, or as the upstream returned it */
    size_t bytes;
    size_t size; /* of the object */
    toft_pool *pool;
    size_t room_bytes;   /* kept right behind it when its mapping was cut, or 0: large_room.c */
    uint16_t map_before; /* for toft_map_remove_large */
    bool fresh;          /* the object was all zero when it was handed out */
    bool for_zeros;      /* toft_large_alloc was told so: little of it may be touched */
} toft_large;

/* Eight to a doubling, from 32 KiB on. */
#define TOFT_LARGE_CLASSES 120U
static inline unsigned toft_large_class(size_t bytes) {
    unsigned log2 = toft_log2_ceil(bytes) - 1;
    return (log2 - TOFT_POOL_MAP_UNIT_BITS) * 8 + (unsigned)((bytes - 1) >> (log2 - 3) & 7);
}

typedef struct toft_large_store {
    toft_os_mutex lock;
    size_t live_bytes; /* with what caches keep */
    size_t kept_bytes; /* free, and ready for other objects: the sum of what follows */
    toft_runs runs;
    toft_large *live;                     /* mappings of their own; none of the shared pool */
    toft_large *kept[TOFT_LARGE_CLASSES]; /* runs, then mappings, last in, first out */
    size_t kept_run_bytes;
    size_t kept_own_bytes;
    size_t kept_own_low_bytes; /* the least of it since the heap of small objects grew */
    toft_spare *spare;         /* of an upstream that takes nothing back */
    size_t spare_bytes;
    size_t kept_low_bytes;         /* the least of kept_bytes since the last step of decay */
    toft_debt debt_bytes;          /* of them */
    bool sheds_runs;               /* more than a bound are free; read as an atomic */
    toft_idle idle_runs, idle_own; /* either kind's */
    unsigned frees;                /* so far */
} toft_large_store;

/* From the record to its object. Between the two lie some bytes, which are poisoned while a tool
   tracks memory. */
#define TOFT_LARGE_OFFSET ((size_t)128)
static inline char *toft_large_object(const toft_large *record) {
    return (char *)(uintptr_t)record + TOFT_LARGE_OFFSET;
}

/* And from an object to its record. */
static inline toft_large *toft_large_record(const void *object) {
    return (toft_large *)((uintptr_t)object - TOFT_LARGE_OFFSET);
}

/* What is taken for an object that begins so many bytes behind its memory: in eight steps to a
   doubling, in pages, and as far as the map needs: see map.h. */
static inline size_t toft_large_taken_bytes(size_t offset, size_t size) {
    size_t bytes = offset + toft_max(size, TOFT_MAP_UNIT_BYTES);
    unsigned log2 = toft_log2_ceil(bytes) - 1;
    return toft_align_up(bytes, toft_max((size_t)1 << (log2 - 3), toft_os_page_bytes()));
}

/* What the user of a new object will find in it. Of many zeros, few may ever be touched. */
typedef enum toft_contents { toft_any_contents, toft_zeros } toft_contents;

/* A new object of the cache's pool; NULL when out of memory. The caller makes the zeros. */
void *toft_large_alloc(toft_pool_cache *cache, size_t size, size_t alignment,
                       toft_contents contents);

/* The record of the large object that starts at an address, of whatever pool; NULL where none does.
   Takes no lock. */
toft_large *toft_large_find(const void *object);
/* The bytes that the object may grow to in place. */
size_t toft_large_usable_bytes(const toft_large *record);
/* Frees the object; the cache is one of its pool. */
void toft_large_give(toft_pool_cache *cache, toft_large *record);
/* Frees runs that a cache kept, in so many lists, which are empty then. The cache's lock may be
   held. */
void toft_large_give_runs(toft_pool *pool, toft_large **lists, unsigned count);
/* Gives the object another size, beyond TOFT_POOL_SMALL_MAX: in place, or by moving its pages.
   Returns where it is then; NULL where it can't be done, and nothing has changed. */
void *toft_large_resize(toft_large *record, size_t size);

/* For the end of the pool. The store's lock is held. */
void toft_large_list_live(toft_large *record);
void toft_large_unlist_live(toft_large *record);

/* For the functions above; the store's lock is held.
   The first sets memory, block, fresh and for_zeros of a record, and bytes, which were those asked
   for, to as many or more; the memory is aligned as the macro says. False where there is none, or
   where runs' blocks would have to be more and may not. The second takes it back. */
#define TOFT_LARGE_MEMORY_ALIGNMENT 64U
bool toft_large_take_memory(toft_pool *pool, bool for_zeros, toft_growth growth, toft_large *taken);
void toft_large_give_memory(toft_pool *pool, const toft_large *given);
/* Gives a mapping of the system's new_bytes: see toft_heap_remap. */
void *toft_large_remap_own(toft_pool *pool, const toft_large *mapping, size_t new_bytes);
/* The first gives runs that are kept for the next object of their step back to their blocks, where
   neighbours are one again; the second is called after each change. */
void toft_large_join_kept_runs(toft_pool *pool);
void toft_large_count(toft_large_store *store);
/* How much may be kept for reuse. */
size_t toft_large_keep_bytes(const toft_pool *pool);
/* The first gives free runs back until at most keep_bytes of them are left, but not many more than
   part_bytes at once; the second kept mappings. */
void toft_large_trim_runs(toft_pool *pool, size_t keep_bytes, size_t part_bytes);
void toft_large_trim_own(toft_pool *pool, size_t keep_bytes);
static inline void toft_large_set_sheds(toft_large_store *store, bool sheds) {
    __atomic_store_n(&store->sheds_runs, sheds, __ATOMIC_RELAXED);
}

/* Cuts so many bytes from the longest mapping that is kept; the rest stays kept, and is told as
   room. The memory is NULL where none is long enough. */
toft_large toft_large_cut_longest(toft_pool *pool, size_t bytes);
/* Joins what is still kept right behind a mapping to it. */
void toft_large_take_room(toft_pool *pool, toft_large *mapping);
/* Cuts what a mapping has beyond so many bytes off, to be kept right behind it. */
void toft_large_leave_room(toft_pool *pool, toft_large *mapping, size_t bytes);

/* To be called before the heap of small objects grows: if it is small, gives it some of a mapping
   that has lain idle since it grew last. */
void toft_large_hand_over(toft_pool *pool);

/* --- what is kept goes back: large_idle.c --- */

/* So many bytes, or some more where pieces go as a whole. */
void toft_large_trim(toft_pool *pool, size_t bytes);
/* Begins to give back what was kept since the last step, but for so many halvings of it. */
void toft_large_decay(toft_pool *pool, unsigned halvings);
/* Goes on with it, and with what is more than may be kept: 2 MiB. No lock is held. */
void toft_large_decay_on(toft_pool *pool);
static inline bool toft_large_owes(const toft_large_store *store) { /* a hint */
    return toft_debt_is_owed(&store->debt_bytes) ||
           __atomic_load_n(&store->sheds_runs, __ATOMIC_RELAXED);
}
static inline size_t toft_large_kept_bytes(const toft_large_store *store) { /* a hint, too */
    return __atomic_load_n(&store->kept_bytes, __ATOMIC_RELAXED);
}
void toft_large_destroy(toft_pool *pool);

#endif
