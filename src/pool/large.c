/* SPDX-License-Identifier: MIT */
/* Objects beyond TOFT_POOL_SMALL_MAX, each with a record in front of it.
 *
 *     +-------------------- - - -+------------+-------------------- - - -+
 *     | as alignment demands     | toft_large | the object               |
 *     +-------------------- - - -+------------+-------------------- - - -+
 *
 * Up to TOFT_RUN_MAX_BYTES that is a run of a block that many share; beyond, a mapping of its own,
 * which is kept for the next object of its step when it is freed. Sizes go in eight steps to a
 * doubling. */
#include "base/bits.h"
#include "base/list.h"
#include "base/misuse.h"
#include "base/tracking.h"
#include "pool/map.h"
#include "pool/pool.h"

enum { least_offset = 128, upstream_alignment = 64, least_log2 = 15, own_log2 = 20 };
static_assert(sizeof(toft_large) <= least_offset, "the record would overlap its object");
static_assert(least_offset % TOFT_MAP_LARGE_ALIGNMENT == 0, "the map couldn't say where it is");
static_assert((size_t)1 << own_log2 == TOFT_RUN_MAX_BYTES, "lists begin where runs end");

/* A pool's first block; later ones are as large as all before, up to TOFT_RUN_BLOCK_BYTES. */
static const size_t first_block_bytes = (size_t)512 << 10;

/* Eight steps to a doubling, in pages. */
static size_t step_up(size_t bytes) {
    unsigned log2 = 63U - (unsigned)__builtin_clzll((unsigned long long)bytes - 1);
    return toft_align_up(bytes, toft_max((size_t)1 << (log2 - 3), toft_os_page_bytes()));
}

/* What an object takes; 0 for what can't be represented, or an alignment that is no power of two.
   Each reaches as far as the map needs: see map.h. */
static size_t taken_bytes(size_t size, size_t alignment) {
    if (!toft_is_power_of_two(alignment)) return 0;
    size_t skipped = least_offset + (alignment > upstream_alignment ? alignment : 0);
    size_t bytes;
    if (size > PTRDIFF_MAX || alignment > PTRDIFF_MAX || !toft_add(size, skipped, &bytes)) return 0;
    return step_up(toft_max(bytes, skipped + ((size_t)1 << least_log2)));
}

/* Of a mapping of its own. */
static unsigned list_of(size_t bytes) {
    unsigned log2 = 63U - (unsigned)__builtin_clzll((unsigned long long)bytes - 1);
    return (log2 - own_log2) * 8 + (unsigned)((bytes - 1) >> (log2 - 3) & 7);
}

static void count_kept(toft_large_store *store) {
    store->kept_bytes = store->kept_own_bytes + store->runs.dirty_bytes + store->spare_bytes;
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

/* --- runs; the store's lock is held --- */

static void *add_block(toft_pool *pool, size_t block_bytes, size_t bytes, toft_run_block **block) {
    block_bytes = toft_align_up(block_bytes, toft_os_page_bytes());
    void *added = map(pool, block_bytes);
    if (added == NULL) return NULL;
    toft_runs_add(&pool->large.runs, added, block_bytes);
    return toft_runs_take(&pool->large.runs, bytes, block);
}

/* Adds a block for many where no other has room, or, where that can't be had, one for this object
   alone. */
static void *take_run(toft_pool *pool, size_t bytes, toft_run_block **block) {
    toft_runs *runs = &pool->large.runs;
    void *taken = toft_runs_take(runs, bytes, block);
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

static void give_run(toft_pool *pool, toft_run_block *block, void *memory, size_t bytes) {
    toft_runs *runs = &pool->large.runs;
    toft_runs_give(runs, block, memory, bytes);
    if (runs->dirty_bytes > TOFT_POOL_LARGE_BYTES || runs->empty_bytes > TOFT_POOL_LARGE_BYTES)
        trim_runs(pool, TOFT_POOL_LARGE_BYTES / 2);
}

/* --- mappings of their own; the store's lock is held --- */

/* *fresh: the system has just mapped it, and it is all zero. */
static void *take_own(toft_pool *pool, size_t bytes, bool *fresh) {
    toft_large_store *store = &pool->large;
    unsigned list = list_of(bytes);
    if (list >= TOFT_LARGE_CLASSES || store->kept[list] == NULL) {
        *fresh = from_system(pool);
        return map(pool, bytes);
    }
    toft_large *kept = store->kept[list];
    store->kept[list] = kept->next;
    store->kept_own_bytes -= bytes;
    if (toft_tracking()) toft_track_allocated(kept, bytes);
    return kept;
}

static void give_own(toft_pool *pool, void *memory, size_t bytes) {
    toft_large_store *store = &pool->large;
    unsigned list = list_of(bytes);
    if (list >= TOFT_LARGE_CLASSES || !takes_back(pool) ||
        store->kept_own_bytes + bytes > TOFT_POOL_LARGE_BYTES) {
        unmap(pool, memory, bytes);
        return;
    }
    toft_large *kept = memory;
    *kept = (toft_large){.next = store->kept[list], .memory = memory, .bytes = bytes};
    store->kept[list] = kept;
    store->kept_own_bytes += bytes;
    if (toft_tracking()) toft_track_free(kept + 1, bytes - sizeof *kept);
}

static void trim_own(toft_pool *pool) {
    toft_large_store *store = &pool->large;
    for (unsigned list = 0; list < TOFT_LARGE_CLASSES; list++) {
        for (toft_large *kept = store->kept[list], *next; kept != NULL; kept = next) {
            next = kept->next;
            unmap(pool, kept->memory, kept->bytes);
        }
        store->kept[list] = NULL;
    }
    store->kept_own_bytes = 0;
}

/* --- objects --- */

/* Between the two lie some bytes, which are poisoned while a tool watches. */
static toft_large *record_of(void *object) {
    return (toft_large *)(void *)((char *)object - least_offset);
}
static char *object_of(toft_large *record) { return (char *)record + least_offset; }

/* All around the object is poisoned but its record. */
static void track(toft_large *record) {
    char *object = object_of(record);
    char *end = (char *)record->memory + record->bytes;
    toft_track_free(record + 1, (size_t)(object - (char *)(record + 1)));
    toft_track_free(object + record->size, (size_t)(end - object) - record->size);
    toft_track_allocated(object, record->size);
}

/* The record of a new object, or NULL. */
static toft_large *take(toft_pool *pool, size_t bytes, size_t size, size_t alignment) {
    toft_large_store *store = &pool->large;
    bool own = bytes > TOFT_RUN_MAX_BYTES;
    toft_run_block *block = NULL;
    toft_large *record = NULL;
    toft_lock(&store->lock);
    bool fresh = false;
    void *memory = own ? take_own(pool, bytes, &fresh) : take_run(pool, bytes, &block);
    if (memory != NULL) {
        record = record_of((void *)toft_align_up((uintptr_t)memory + least_offset, alignment));
        *record = (toft_large){.block = block, .memory = memory, .bytes = bytes, .size = size};
        record->pool = pool;
        record->fresh = fresh;
        record->map_before = toft_map_add_large(object_of(record));
        if (toft_tracking()) track(record);
        if (own) TOFT_LIST_PUSH(store->live, record);
        store->live_bytes += bytes;
    }
    count_kept(store);
    toft_unlock(&store->lock);
    return record;
}

void *toft_pool_alloc_large(toft_pool_cache *cache, size_t size, size_t alignment) {
    toft_pool *pool = cache->pool;
    size_t redzone_bytes = toft_tracking() ? TOFT_REDZONE_BYTES : 0;
    if (size > PTRDIFF_MAX) return NULL;
    size_t bytes = taken_bytes(size + redzone_bytes, alignment);
    if (bytes == 0) return NULL;
    toft_large *record = take(pool, bytes, size, alignment);
    if (TOFT_UNLIKELY(record == NULL)) {
        toft_pool_trim(pool);
        record = take(pool, bytes, size, alignment);
    }
    /* What is idle elsewhere in the process may do. */
    if (TOFT_UNLIKELY(record == NULL) && from_system(pool) && toft_reclaim_everything())
        record = take(pool, bytes, size, alignment);
    return record == NULL ? NULL : object_of(record);
}

void toft_pool_free_large(toft_pool_cache *cache, void *object, size_t size, size_t alignment) {
    toft_pool *pool = cache->pool;
    if (toft_tracking() && toft_track_is_free(object))
        toft_pool_misuse(pool, object, "freed twice, or never allocated");
    toft_large *record = toft_large_find(object);
    if (record == NULL) toft_pool_misuse(pool, object, "freed twice, or never allocated");
    if (record->pool != pool) toft_pool_misuse(pool, object, "freed to a pool that it is not of");
    if (record->size != size || (uintptr_t)object % alignment != 0)
        toft_pool_misuse(pool, object,
                         "freed with another size or alignment than it was allocated with");
    toft_large_give(record);
}

toft_large *toft_large_find(const void *object) {
    return toft_map_has_large(object) ? (toft_large *)((uintptr_t)object - least_offset) : NULL;
}

size_t toft_large_usable_bytes(const toft_large *record) {
    size_t offset = (size_t)((const char *)record - (const char *)record->memory) + least_offset;
    return toft_tracking() ? record->size : record->bytes - offset;
}

void toft_large_give(toft_large *record) {
    toft_pool *pool = record->pool;
    toft_large_store *store = &pool->large;
    size_t bytes = record->bytes;
    toft_map_remove_large(object_of(record), record->map_before);
    toft_lock(&store->lock);
    store->live_bytes -= bytes;
    if (record->block != NULL) {
        give_run(pool, record->block, record->memory, bytes);
    } else {
        TOFT_LIST_REMOVE(store->live, record);
        give_own(pool, record->memory, bytes);
    }
    count_kept(store);
    toft_unlock(&store->lock);
}

/* --- resizing --- */

/* A mapping of its own gets other bytes; the store's lock is held. */
static toft_large *remap(toft_large *record, size_t bytes) {
    toft_pool *pool = record->pool;
    toft_large_store *store = &pool->large;
    void *old_memory = record->memory;
    size_t old_bytes = record->bytes;
    size_t offset = (size_t)((char *)record - (char *)old_memory);
    TOFT_LIST_REMOVE(store->live, record);
    toft_lock(&pool->heap.lock);
    void *memory = toft_heap_remap(pool, old_memory, old_bytes, bytes);
    toft_unlock(&pool->heap.lock);
    toft_large *moved = record;
    if (memory != NULL) {
        moved = (toft_large *)(void *)((char *)memory + offset);
        moved->memory = memory;
        moved->bytes = bytes;
        store->live_bytes += bytes - old_bytes;
    }
    TOFT_LIST_PUSH(store->live, moved);
    return memory == NULL ? NULL : moved;
}

/* Its pages may move only where the map can follow, and where no alignment beyond the page could be
   lost. */
static toft_large *remap_and_tell(toft_large *record, size_t bytes) {
    toft_pool *pool = record->pool;
    bool may_move = (char *)record == record->memory;
    if (record->block != NULL || !from_system(pool) || bytes <= TOFT_RUN_MAX_BYTES ||
        (bytes > record->bytes && !may_move))
        return NULL;
    const void *object = object_of(record);
    toft_lock(&pool->large.lock);
    toft_map_remove_large(object, record->map_before);
    toft_large *moved = remap(record, bytes);
    if (moved == NULL)
        record->map_before = toft_map_add_large(object);
    else
        moved->map_before = toft_map_add_large(object_of(moved));
    toft_unlock(&pool->large.lock);
    return moved;
}

void *toft_large_resize(toft_large *record, size_t size) {
    size_t usable_bytes = toft_large_usable_bytes(record);
    size_t offset = record->bytes - usable_bytes;
    if (toft_tracking() || size > PTRDIFF_MAX) return NULL;
    if (size > usable_bytes || size < usable_bytes / 2)
        record = remap_and_tell(record, step_up(size + offset));
    if (record == NULL) return NULL;
    record->size = size;
    return object_of(record);
}

void toft_large_trim(toft_pool *pool) {
    toft_lock(&pool->large.lock);
    trim_own(pool);
    trim_runs(pool, 0);
    count_kept(&pool->large);
    toft_unlock(&pool->large.lock);
}

/* Live objects in a run block that goes away. */
static void forget_objects(const void *memory, size_t bytes) {
    for (void *object; (object = toft_map_find_large(memory, bytes)) != NULL;)
        toft_map_remove_large(object, record_of(object)->map_before);
}

void toft_large_destroy(toft_pool *pool) {
    toft_large_store *store = &pool->large;
    toft_lock(&store->lock);
    trim_own(pool);
    for (toft_run_block *block; (block = toft_runs_pop_any(&store->runs)) != NULL;) {
        forget_objects(block, toft_run_block_bytes(block));
        unmap(pool, block, toft_run_block_bytes(block));
    }
    for (toft_large *live = store->live, *next; live != NULL; live = next) {
        next = live->next;
        toft_map_remove_large(object_of(live), live->map_before);
        unmap(pool, live->memory, live->bytes);
    }
    toft_unlock(&store->lock);
}
