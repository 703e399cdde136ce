/* SPDX-License-Identifier: MIT */
/* Objects beyond TOFT_POOL_SMALL_MAX, each with a record in front of it.
 *
 *     +-------------------- - - -+------------+-------------------- - - -+
 *     | as alignment demands     | toft_large | the object               |
 *     +-------------------- - - -+------------+-------------------- - - -+
 *
 * Up to TOFT_RUN_MAX_BYTES that is a run of a block that many share; beyond, a mapping of its own.
 * Sizes go in eight steps to a doubling. What is freed is kept for the next object of its step: a
 * few runs, which are still in the CPU's cache then, and mappings up to a bound that follows what
 * is live. A mapping also serves objects of the next shorter steps as it is, and longer ones after
 * lengthening: then only what is new of it costs page faults. */
#include "base/check.h"
#include "base/decay.h"
#include "base/list.h"
#include "base/misuse.h"
#include "os/tracking.h"
#include "pool/pool.h"

enum { upstream_alignment = 64, frees_between_decays = 64 };
/* How far from an object's step its mapping may be: a quarter longer, or half as long. */
enum { longer_lists = 2, shorter_lists = 8 };
static_assert(sizeof(toft_large) <= TOFT_LARGE_OFFSET, "the record would overlap its object");
static_assert(TOFT_LARGE_OFFSET % TOFT_MAP_LARGE_ALIGNMENT == 0, "the map couldn't tell where");

/* A pool's first block; later ones are as large as all before, up to TOFT_RUN_BLOCK_BYTES. */
static const size_t first_block_bytes = (size_t)512 << 10;

/* Runs that are kept apart for the next object of their step. None where the upstream takes nothing
   back: there all that is free must join. */
static const size_t kept_runs_max_bytes = (size_t)4 << 20;

/* Longer mappings go back at once: whoever asks for so much zeroed memory may want it untouched. */
static const size_t kept_own_max_bytes = (size_t)32 << 20;

/* 0 for what can't be represented, or an alignment that is no power of two. */
static size_t taken_bytes(size_t size, size_t alignment) {
    if (!toft_is_power_of_two(alignment)) return 0;
    size_t skipped = TOFT_LARGE_OFFSET + (alignment > upstream_alignment ? alignment : 0);
    if (size > PTRDIFF_MAX || alignment > PTRDIFF_MAX / 2) return 0;
    return toft_large_taken_bytes(skipped, size);
}

static unsigned list_of(size_t bytes) {
    unsigned log2 = toft_log2_ceil(bytes) - 1;
    return (log2 - TOFT_POOL_MAP_UNIT_BITS) * 8 + (unsigned)((bytes - 1) >> (log2 - 3) & 7);
}

void toft_large_count_kept(toft_large_store *store) {
    TOFT_ASSERT(store->kept_run_bytes <= kept_runs_max_bytes);
    TOFT_ASSERT((store->spare == NULL) == (store->spare_bytes == 0));
    store->kept_bytes = store->kept_own_bytes + store->kept_run_bytes + store->runs.dirty_bytes +
                        store->spare_bytes;
    store->kept_low_bytes = toft_min(store->kept_low_bytes, store->kept_bytes);
}

/* --- from the upstream and back; the store's lock is held --- */

/* Only the system's pages can stay and lose their contents. */
static bool from_system(const toft_pool *pool) { return pool->heap.upstream == NULL; }

static bool takes_back(const toft_pool *pool) {
    return from_system(pool) || pool->heap.upstream->free != NULL;
}

static void *map(toft_pool *pool, size_t bytes) {
    toft_large_store *store = &pool->large;
    void *memory = toft_spare_take(&store->spare, bytes);
    if (memory != NULL) {
        store->spare_bytes -= bytes;
        return memory;
    }
    toft_lock(&pool->heap.lock);
    memory = toft_heap_map(pool, bytes, upstream_alignment);
    toft_unlock(&pool->heap.lock);
    return memory;
}

static void unmap(toft_pool *pool, void *memory, size_t bytes) {
    toft_large_store *store = &pool->large;
    if (!takes_back(pool)) {
        toft_spare_give(&store->spare, memory, bytes);
        store->spare_bytes += bytes;
        return;
    }
    toft_lock(&pool->heap.lock);
    toft_heap_unmap(pool, memory, bytes, upstream_alignment);
    toft_unlock(&pool->heap.lock);
}

/* --- what is kept for the next object of its step; the store's lock is held --- */

/* The record of one, whose memory is NULL where none is kept. */
static toft_large pop_kept(toft_large_store *store, unsigned list) {
    toft_large *kept = list < TOFT_LARGE_CLASSES ? store->kept[list] : NULL;
    if (kept == NULL) return (toft_large){.memory = NULL};
    toft_large record = *kept;
    store->kept[list] = record.next;
    if (toft_tracking()) toft_track_allocated(record.memory, record.bytes);
    return record;
}

static void push_kept(toft_pool *pool, toft_run_block *block, void *memory, size_t bytes) {
    toft_large **list = &pool->large.kept[list_of(bytes)];
    toft_large *kept = memory;
    *kept = (toft_large){.next = *list, .block = block, .memory = memory, .bytes = bytes};
    *list = kept;
    if (toft_tracking()) toft_track_free(kept + 1, bytes - sizeof *kept);
}

/* --- runs; the store's lock is held --- */

void toft_large_join_kept_runs(toft_pool *pool) {
    toft_large_store *store = &pool->large;
    for (unsigned list = 0; store->kept_run_bytes != 0; list++) {
        for (toft_large kept; (kept = pop_kept(store, list)).memory != NULL;) {
            toft_runs_give(&store->runs, kept.block, kept.memory, kept.bytes);
            store->kept_run_bytes -= kept.bytes;
        }
    }
}

static void *add_block(toft_pool *pool, size_t block_bytes, size_t bytes, toft_run_block **block) {
    block_bytes = toft_align_up(block_bytes, toft_os_page_bytes());
    void *added = map(pool, block_bytes);
    if (added == NULL) return NULL;
    toft_runs_add(&pool->large.runs, added, block_bytes);
    return toft_runs_take(&pool->large.runs, bytes, block);
}

/* Adds a block for many where no other has room, or, where that can't be had, one for this object
   alone. */
static void *take_from_blocks(toft_pool *pool, size_t bytes, toft_run_block **block) {
    toft_runs *runs = &pool->large.runs;
    void *taken = toft_runs_take(runs, bytes, block);
    if (taken == NULL && pool->large.kept_run_bytes != 0) {
        toft_large_join_kept_runs(pool);
        taken = toft_runs_take(runs, bytes, block);
    }
    if (taken != NULL) return taken;
    size_t least_bytes = toft_run_least_block_bytes(bytes);
    size_t usual_bytes = first_block_bytes;
    while (usual_bytes < runs->held_bytes && usual_bytes < TOFT_RUN_BLOCK_BYTES) usual_bytes *= 2;
    if (usual_bytes > least_bytes) taken = add_block(pool, usual_bytes, bytes, block);
    return taken != NULL ? taken : add_block(pool, least_bytes, bytes, block);
}

static void trim_runs(toft_pool *pool, size_t keep_bytes) {
    toft_runs *runs = &pool->large.runs;
    for (toft_run_block *popped; (popped = toft_runs_pop_empty(runs, keep_bytes)) != NULL;)
        unmap(pool, popped, toft_run_block_bytes(popped));
    if (from_system(pool)) toft_runs_discard(runs, keep_bytes);
}

/* *fresh: as the system mapped it, all zero. */
static void *take_run(toft_pool *pool, size_t bytes, toft_run_block **block, bool *fresh) {
    toft_large kept = pop_kept(&pool->large, list_of(bytes));
    if (kept.memory == NULL) {
        void *taken = take_from_blocks(pool, bytes, block);
        *fresh = taken != NULL && from_system(pool) && pool->large.runs.took_fresh;
        return taken;
    }
    pool->large.kept_run_bytes -= bytes;
    *block = kept.block;
    return kept.memory;
}

static void give_run(toft_pool *pool, toft_run_block *block, void *memory, size_t bytes) {
    toft_large_store *store = &pool->large;
    toft_runs *runs = &store->runs;
    if (takes_back(pool) && store->kept_run_bytes + bytes <= kept_runs_max_bytes) {
        push_kept(pool, block, memory, bytes);
        store->kept_run_bytes += bytes;
        return;
    }
    toft_runs_give(runs, block, memory, bytes);
    if (runs->dirty_bytes > TOFT_POOL_LARGE_BYTES || runs->empty_bytes > TOFT_POOL_LARGE_BYTES)
        trim_runs(pool, TOFT_POOL_LARGE_BYTES / 2);
}

/* --- mappings of their own; the store's lock is held --- */

/* So much lets a program whose objects replace each other go on with few new pages. */
static size_t own_bound_bytes(const toft_large_store *store) {
    return toft_max(TOFT_POOL_LARGE_BYTES, store->live_bytes / 2);
}

/* One of the lists from first to last, which may be the lower one; its memory is NULL where none is
   kept. */
static toft_large pop_own(toft_large_store *store, unsigned first, unsigned last) {
    toft_large kept;
    for (unsigned list = first;; list += first < last ? 1 : -1U) {
        kept = pop_kept(store, list);
        if (kept.memory != NULL || list == last) break;
    }
    if (kept.memory != NULL) store->kept_own_bytes -= kept.bytes;
    return kept;
}

static void push_own(toft_pool *pool, void *memory, size_t bytes) {
    push_kept(pool, NULL, memory, bytes);
    pool->large.kept_own_bytes += bytes;
}

/* A shorter one that is kept, made longer; NULL where there is none or it can't be done. */
static void *lengthen_kept(toft_pool *pool, size_t bytes) {
    toft_large_store *store = &pool->large;
    unsigned list = list_of(bytes), least = list_of(TOFT_RUN_MAX_BYTES + 1);
    if (!from_system(pool) || toft_tracking() || list == least || list >= TOFT_LARGE_CLASSES)
        return NULL;
    unsigned last = list > least + shorter_lists ? list - shorter_lists : least;
    toft_large kept = pop_own(store, list - 1, last);
    if (kept.memory == NULL) return NULL;
    toft_lock(&pool->heap.lock);
    void *memory = toft_heap_remap(pool, kept.memory, kept.bytes, bytes);
    toft_unlock(&pool->heap.lock);
    if (memory != NULL && toft_map_reserve(memory, bytes)) return memory;
    if (memory != NULL)
        unmap(pool, memory, bytes);
    else
        push_own(pool, kept.memory, kept.bytes);
    return NULL;
}

/* *bytes: what is wanted, then what it is. *fresh: the system has just mapped it, and it is all
   zero. */
static void *take_own(toft_pool *pool, size_t *bytes, bool *fresh) {
    unsigned list = list_of(*bytes);
    toft_large kept = pop_own(&pool->large, list, list + longer_lists);
    if (kept.memory != NULL) {
        *bytes = kept.bytes;
        return kept.memory;
    }
    void *memory = lengthen_kept(pool, *bytes);
    if (memory != NULL) return memory;
    *fresh = from_system(pool);
    return map(pool, *bytes);
}

/* The next object in it may start where the map doesn't reach yet, if it was lengthened. */
static void give_own(toft_pool *pool, void *memory, size_t bytes) {
    toft_large_store *store = &pool->large;
    if (bytes > kept_own_max_bytes || !takes_back(pool) ||
        store->kept_own_bytes + bytes > own_bound_bytes(store) || !toft_map_reserve(memory, bytes))
        unmap(pool, memory, bytes);
    else
        push_own(pool, memory, bytes);
}

/* Until at most keep_bytes of them are left; the longest first. */
static void trim_own(toft_pool *pool, size_t keep_bytes) {
    toft_large_store *store = &pool->large;
    while (store->kept_own_bytes > keep_bytes) {
        toft_large longest =
            pop_own(store, TOFT_LARGE_CLASSES - 1, list_of(TOFT_RUN_MAX_BYTES + 1));
        TOFT_ASSERT(longest.memory != NULL);
        unmap(pool, longest.memory, longest.bytes);
    }
}

static void trim(toft_pool *pool, size_t keep_bytes) {
    toft_large_join_kept_runs(pool);
    trim_own(pool, keep_bytes);
    trim_runs(pool, keep_bytes - pool->large.kept_own_bytes);
    toft_large_count_kept(&pool->large);
}

/* --- objects --- */

static toft_large *record_of(void *object) {
    return (toft_large *)(void *)((char *)object - TOFT_LARGE_OFFSET);
}

/* Poisons everything around the object, except its record. */
static void track(toft_large *record) {
    char *object = toft_large_object(record);
    char *end = (char *)record->memory + record->bytes;
    toft_track_free(record + 1, (size_t)(object - (char *)(record + 1)));
    toft_track_free(object + record->size, (size_t)(end - object) - record->size);
    toft_track_allocated(object, toft_max(record->size, 1)); /* of size 0: not found freed */
}

/* The record of a new object, or NULL. */
static toft_large *take(toft_pool *pool, size_t bytes, size_t size, size_t alignment) {
    toft_large_store *store = &pool->large;
    bool own = bytes > TOFT_RUN_MAX_BYTES;
    toft_run_block *block = NULL;
    toft_large *record = NULL;
    toft_lock(&store->lock);
    bool fresh = false;
    void *memory = own ? take_own(pool, &bytes, &fresh) : take_run(pool, bytes, &block, &fresh);
    if (memory != NULL) {
        record = record_of((void *)toft_align_up((uintptr_t)memory + TOFT_LARGE_OFFSET, alignment));
        *record = (toft_large){.block = block, .memory = memory, .bytes = bytes, .size = size};
        record->pool = pool;
        record->fresh = fresh;
        record->map_before = toft_map_add_large(toft_large_object(record));
        if (toft_tracking()) track(record);
        if (own) TOFT_LIST_PUSH(store->live, record);
        store->live_bytes += bytes;
    }
    toft_large_count_kept(store);
    toft_unlock(&store->lock);
    return record;
}

/* Once more after what is idle in this pool went back, then after what is idle elsewhere in the
   process did. */
static TOFT_COLD toft_large *take_reclaimed(toft_pool *pool, size_t bytes, size_t size,
                                            size_t alignment) {
    if (!toft_heap_could_map(pool, bytes)) return NULL;
    toft_pool_trim(pool);
    toft_large *record = take(pool, bytes, size, alignment);
    if (record != NULL || !from_system(pool) || !toft_reclaim_everything()) return record;
    return take(pool, bytes, size, alignment);
}

void *toft_pool_alloc_large(toft_pool_cache *cache, size_t size, size_t alignment) {
    toft_pool *pool = cache->pool;
    size_t redzone_bytes = toft_tracking() ? TOFT_REDZONE_BYTES : 0;
    if (size > PTRDIFF_MAX) return NULL;
    size_t bytes = taken_bytes(size + redzone_bytes, alignment);
    if (bytes == 0) return NULL;
    toft_large *record = take(pool, bytes, size, alignment);
    if (TOFT_UNLIKELY(record == NULL)) record = take_reclaimed(pool, bytes, size, alignment);
    return record == NULL ? NULL : toft_large_object(record);
}

void toft_pool_free_large(toft_pool_cache *cache, void *object, size_t size, size_t alignment) {
    toft_pool *pool = cache->pool;
    toft_large *record = toft_large_find(object);
    if (record == NULL) toft_pool_misuse(pool, object, "freed twice, or never allocated");
    if (record->pool != pool) toft_pool_misuse(pool, object, "freed to a pool that it is not of");
    if (record->size != size || !toft_is_aligned(object, alignment))
        toft_pool_misuse(pool, object,
                         "freed with another size or alignment than it was allocated with");
    toft_large_give(record);
}

void toft_large_give(toft_large *record) {
    toft_pool *pool = record->pool;
    toft_large_store *store = &pool->large;
    size_t bytes = record->bytes;
    toft_map_remove_large(toft_large_object(record), record->map_before);
    toft_lock(&store->lock);
    TOFT_ASSERT(store->live_bytes >= bytes);
    bool decays = record->block == NULL || ++store->frees % frees_between_decays == 0;
    store->live_bytes -= bytes;
    if (record->block != NULL) {
        give_run(pool, record->block, record->memory, bytes);
    } else {
        TOFT_LIST_REMOVE(store->live, record);
        give_own(pool, record->memory, bytes);
    }
    trim_own(pool, own_bound_bytes(store));
    toft_large_count_kept(store);
    toft_unlock(&store->lock);
    if (decays) toft_pool_decay(pool);
}

void toft_large_trim(toft_pool *pool) {
    toft_lock(&pool->large.lock);
    trim(pool, 0);
    toft_unlock(&pool->large.lock);
}

void toft_large_decay(toft_pool *pool, unsigned halvings) {
    toft_large_store *store = &pool->large;
    toft_lock(&store->lock);
    size_t given_bytes = toft_decay_share(store->kept_low_bytes, halvings);
    if (given_bytes != 0) trim(pool, store->kept_bytes - given_bytes);
    store->kept_low_bytes = store->kept_bytes;
    toft_unlock(&store->lock);
}

/* Live objects in a run block that goes away. */
static void forget_objects(const void *memory, size_t bytes) {
    for (void *object; (object = toft_map_find_large(memory, bytes)) != NULL;)
        toft_map_remove_large(object, record_of(object)->map_before);
}

void toft_large_destroy(toft_pool *pool) {
    toft_large_store *store = &pool->large;
    toft_lock(&store->lock);
    toft_large_join_kept_runs(pool);
    trim_own(pool, 0);
    for (toft_run_block *block; (block = toft_runs_pop_any(&store->runs)) != NULL;) {
        forget_objects(block, toft_run_block_bytes(block));
        unmap(pool, block, toft_run_block_bytes(block));
    }
    for (toft_large *live = store->live, *next; live != NULL; live = next) {
        next = live->next;
        toft_map_remove_large(toft_large_object(live), live->map_before);
        unmap(pool, live->memory, live->bytes);
    }
    if (toft_tracking()) toft_spare_forget(store->spare);
    toft_unlock(&store->lock);
}
