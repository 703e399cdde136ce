/* SPDX-License-Identifier: MIT */
/* Objects beyond TOFT_POOL_SMALL_MAX, each with a record in front of it.
 *
 *     +-------------------- - - -+------------+-------------------- - - -+
 *     | as alignment demands     | toft_large | the object               |
 *     +-------------------- - - -+------------+-------------------- - - -+
 *
 * Their memory comes from large_memory.c. */
#include "base/check.h"
#include "base/list.h"
#include "base/misuse.h"
#include "os/tracking.h"
#include "pool/any.h"
#include "pool/cache_runs.h"
#include "pool/caches.h"
#include "pool/pool.h"
#include "pool/watch.h"

enum { frees_between_looks = 64 }; /* at the clock */
static_assert(sizeof(toft_large) <= TOFT_LARGE_OFFSET, "the record would overlap its object");
static_assert(TOFT_LARGE_OFFSET % TOFT_MAP_LARGE_ALIGNMENT == 0, "the map couldn't tell where");

/* 0 for what can't be represented, or an alignment that is no power of two. */
static size_t taken_bytes(size_t size, size_t alignment) {
    if (!toft_is_power_of_two(alignment)) return 0;
    size_t skipped = TOFT_LARGE_OFFSET + (alignment > TOFT_LARGE_MEMORY_ALIGNMENT ? alignment : 0);
    if (size > PTRDIFF_MAX || alignment > PTRDIFF_MAX / 2) return 0;
    return toft_large_taken_bytes(skipped, size);
}

/* Poisons everything around the object, except its record. */
static void track(toft_large *record) {
    char *object = toft_large_object(record);
    char *end = (char *)record->memory + record->bytes;
    toft_track_free(record + 1, (size_t)(object - (char *)(record + 1)));
    toft_track_free(object + record->size, (size_t)(end - object) - record->size);
    toft_track_allocated(object, toft_max(record->size, 1)); /* of size 0: not found freed */
}

/* What is asked for, and with how many bytes in front of it and behind it. */
typedef struct toft_large_request {
    size_t size, alignment, bytes;
    bool for_zeros;
} toft_large_request;

/* The record of an object that begins in memory that was taken for it. */
static toft_large *begin(const toft_large *taken, const toft_large_request *request) {
    toft_large *record = toft_large_record(
        (void *)toft_align_up((uintptr_t)taken->memory + TOFT_LARGE_OFFSET, request->alignment));
    *record = *taken;
    record->map_before = toft_map_add_large(toft_large_object(record));
    if (toft_tracking()) track(record);
    return record;
}

/* Runs are found by their blocks. The process's own pool is never destroyed; and a program may have
   protected the pages of one of its large objects, or a child lack them (MADV_DONTFORK), so that
   nothing is written there for the sake of another. */
static bool is_listed(const toft_large *record) {
    return record->block == NULL && record->pool != toft_pool_shared();
}

void toft_large_list_live(toft_large *record) {
    if (is_listed(record)) TOFT_LIST_PUSH(record->pool->large.live, record);
}

void toft_large_unlist_live(toft_large *record) {
    if (is_listed(record)) TOFT_LIST_REMOVE(record->pool->large.live, record);
}

/* From the store. NULL where there is none, or where runs' blocks would have to be more and may
   not. */
static toft_large *take(toft_pool *pool, const toft_large_request *request, toft_growth growth) {
    toft_large_store *store = &pool->large;
    toft_large taken = {.pool = pool, .size = request->size, .bytes = request->bytes};
    toft_large *record = NULL;
    toft_lock(&store->lock);
    if (toft_large_take_memory(pool, request->for_zeros, growth, &taken)) {
        record = begin(&taken, request);
        toft_large_list_live(record);
        store->live_bytes += record->bytes;
    }
    toft_large_count(store);
    toft_unlock(&store->lock);
    return record;
}

/* One of the thread's own runs, which are still in its CPU's cache; or from the store. Before runs'
   blocks become more, what the thread keeps goes back to them, where neighbours join. */
static toft_large *take_run(toft_cache *cache, const toft_large_request *request) {
    toft_pool *pool = cache->fast.pool;
    toft_large taken = {.pool = pool, .size = request->size, .bytes = request->bytes};
    if (toft_cache_take_run(cache, &taken)) return begin(&taken, request);
    toft_large *record = take(pool, request, toft_no_growth);
    if (record != NULL) return record;
    toft_cache_join_runs(cache);
    return take(pool, request, toft_may_grow);
}

/* Once more after what is idle in this pool went back, then after what is idle elsewhere in the
   process did. */
static TOFT_COLD toft_large *take_reclaimed(toft_pool *pool, const toft_large_request *request) {
    if (!toft_heap_could_map(pool, request->bytes)) return NULL;
    toft_pool_trim(pool);
    toft_large *record = take(pool, request, toft_may_grow);
    if (record != NULL || !toft_heap_reclaim_everything(pool, request->bytes)) return record;
    return take(pool, request, toft_may_grow);
}

void *toft_large_alloc(toft_pool_cache *cache, size_t size, size_t alignment,
                       toft_contents contents) {
    if (size > PTRDIFF_MAX) return NULL;
    size_t bytes = taken_bytes(size + toft_redzone_bytes(), alignment);
    if (bytes == 0) return NULL;
    toft_pool *pool = cache->pool;
    toft_large_request request = {size, alignment, bytes, .for_zeros = contents == toft_zeros};
    toft_cache *own = bytes <= TOFT_RUN_MAX_BYTES ? toft_made_cache(cache) : NULL;
    toft_large *record =
        own != NULL ? take_run(own, &request) : take(pool, &request, toft_may_grow);
    toft_pool_balance(pool);
    toft_heap_unmap_left(&pool->heap);
    toft_pool_wake(pool);
    if (TOFT_UNLIKELY(record == NULL)) record = take_reclaimed(pool, &request);
    return record == NULL ? NULL : toft_large_object(record);
}

void *toft_pool_alloc_large(toft_pool_cache *cache, size_t size, size_t alignment) {
    return toft_large_alloc(cache, size, alignment, toft_any_contents);
}

/* No large object begins there: a small one may, which was freed with a large one's size. */
TOFT_NEVER_RETURNS static TOFT_COLD void misuse_of_none(const toft_pool *pool, const void *object,
                                                        toft_freed_as freed_as) {
    toft_place place = toft_place_of(object);
    if (place.is_slot) toft_pool_misuse_of_size(pool, object, freed_as, place);
    toft_pool_misuse(pool, object, "freed twice, or never allocated");
}

void toft_pool_free_large(toft_pool_cache *cache, void *object, size_t size, size_t alignment) {
    toft_pool *pool = cache->pool;
    const toft_freed_as freed_as = {TOFT_NAMED_BOTH, size, alignment};
    toft_large *record = toft_large_find(object);
    if (record == NULL) misuse_of_none(pool, object, freed_as);
    if (record->pool != pool) toft_pool_misuse(pool, object, "freed to a pool that it is not of");
    if (record->size != size || !toft_is_aligned(object, alignment))
        toft_pool_misuse_of_size(pool, object, freed_as, (toft_place){.bytes = record->size});
    toft_large_give(cache, record);
}

/* The store's lock is held. The memory holds the record itself. */
static void give(toft_pool *pool, toft_large *record) {
    toft_large_store *store = &pool->large;
    toft_large given = *record;
    TOFT_ASSERT(store->live_bytes >= given.bytes);
    store->live_bytes -= given.bytes;
    toft_large_unlist_live(record);
    toft_large_give_memory(pool, &given);
    toft_large_count(store);
}

/* Whether it is time to look at the clock. */
static bool give_to_store(toft_pool *pool, toft_large *record) {
    toft_large_store *store = &pool->large;
    toft_lock(&store->lock);
    bool looks = record->block == NULL || ++store->frees % frees_between_looks == 0;
    give(pool, record);
    toft_unlock(&store->lock);
    return looks;
}

/* Not where the upstream takes nothing back, so that all that is free must join, nor where the
   pool's options say how much may stay. */
static bool caches_runs(const toft_heap *heap) {
    return toft_heap_takes_back(heap) && heap->keep_bytes == 0;
}

static bool keep_run(toft_pool_cache *cache, const toft_large *record, bool *looks) {
    if (record->bytes > TOFT_CACHED_RUN_MAX_BYTES || !caches_runs(&cache->pool->heap)) return false;
    toft_cache *own = toft_own_cache(cache);
    if (own == NULL || !toft_cache_keep_run(own, record)) return false;
    *looks = own->exchanges % frees_between_looks == 0;
    return true;
}

void toft_large_give(toft_pool_cache *cache, toft_large *record) {
    toft_map_remove_large(toft_large_object(record), record->map_before);
    toft_pool *pool = cache->pool;
    bool looks = false;
    if (!keep_run(cache, record, &looks)) looks = give_to_store(pool, record);
    toft_cache *own = toft_made_cache(cache);
    if (own != NULL && toft_watch_is_wanted(pool, own))
        toft_watch_after_large(pool, own);
    else if (looks)
        toft_pool_decay(pool);
    if (TOFT_UNLIKELY(toft_pool_owes(pool))) toft_pool_decay_on_slow(pool);
    toft_heap_unmap_left(&pool->heap);
}

void toft_large_give_runs(toft_pool *pool, toft_large **lists, unsigned count) {
    toft_lock(&pool->large.lock);
    for (unsigned i = 0; i < count; i++) {
        for (toft_large *run = lists[i], *next; run != NULL; run = next) {
            next = run->next;
            give(pool, run);
        }
        lists[i] = NULL;
    }
    toft_unlock(&pool->large.lock);
}

/* --- how much is kept --- */

/* What the pool's options say; or so much that a program whose objects replace each other goes on
   with few new pages: half of what is live, or what was given back and soon wanted again. */
size_t toft_large_keep_bytes(const toft_pool *pool) {
    const toft_large_store *store = &pool->large;
    if (pool->heap.keep_bytes != 0) return pool->heap.keep_bytes;
    if (!toft_heap_takes_back(&pool->heap)) return TOFT_POOL_LARGE_BYTES;
    return toft_max(toft_max(TOFT_POOL_LARGE_BYTES, store->live_bytes / 2),
                    toft_idle_wanted_bytes(&store->idle_runs) +
                        toft_idle_wanted_bytes(&store->idle_own));
}

void toft_large_count(toft_large_store *store) {
    TOFT_ASSERT((store->spare == NULL) == (store->spare_bytes == 0));
    size_t kept_bytes = store->kept_own_bytes + store->kept_run_bytes + store->runs.dirty_bytes +
                        store->spare_bytes;
    __atomic_store_n(&store->kept_bytes, kept_bytes, __ATOMIC_RELAXED);
    store->kept_low_bytes = toft_min(store->kept_low_bytes, store->kept_bytes);
    store->kept_own_low_bytes = toft_min(store->kept_own_low_bytes, store->kept_own_bytes);
    toft_idle_note_used(&store->idle_runs, store->live_bytes);
    toft_idle_note_used(&store->idle_own, store->live_bytes);
}
