/* SPDX-License-Identifier: MIT */
/* Objects beyond TOFT_POOL_SMALL_MAX: each a mapping of its own, with a record in front of it.
 *
 *     +-------------------- - - -+------------+-------------------- - - -+
 *     | as alignment demands     | toft_large | the object               |
 *     +-------------------- - - -+------------+-------------------- - - -+
 *
 * Mapped sizes go in eight steps to a doubling; a freed object is kept for the next one of its
 * step. */
#include "base/bits.h"
#include "base/list.h"
#include "pool/pool.h"

enum { least_offset = 64, upstream_alignment = 64, least_log2 = 15 };
static_assert(sizeof(toft_large) <= least_offset, "the record would overlap its object");

/* What to map for an object; 0 for what can't be represented, or an alignment that is no power of
   two. */
static size_t mapped_bytes(size_t size, size_t alignment) {
    if (!toft_is_power_of_two(alignment)) return 0;
    size_t skipped = least_offset + (alignment > upstream_alignment ? alignment : 0);
    size_t bytes;
    if (size > PTRDIFF_MAX || alignment > PTRDIFF_MAX || !toft_add(size, skipped, &bytes)) return 0;
    bytes = toft_max(bytes, ((size_t)1 << least_log2) + 1);
    unsigned log2 = 63U - (unsigned)__builtin_clzll((unsigned long long)bytes - 1);
    return toft_align_up(bytes, toft_max((size_t)1 << (log2 - 3), toft_os_page_bytes()));
}

static unsigned list_of(size_t bytes) {
    unsigned log2 = 63U - (unsigned)__builtin_clzll((unsigned long long)bytes - 1);
    return (log2 - least_log2) * 8 + (unsigned)((bytes - 1) >> (log2 - 3) & 7);
}

/* --- the lists; the store's lock is held --- */

static void link_live(toft_large_store *store, toft_large *large) {
    TOFT_LIST_PUSH(store->live, large);
    store->live_bytes += large->bytes;
}

static void unlink_live(toft_large_store *store, toft_large *large) {
    TOFT_LIST_REMOVE(store->live, large);
    store->live_bytes -= large->bytes;
}

static void *take_kept(toft_large_store *store, size_t bytes) {
    unsigned list = list_of(bytes);
    if (list >= TOFT_LARGE_CLASSES || store->kept[list] == NULL) return NULL;
    toft_large *kept = store->kept[list];
    store->kept[list] = kept->next;
    store->kept_bytes -= bytes;
    return kept;
}

/* False beyond the bound. */
static bool keep(toft_large_store *store, void *memory, size_t bytes) {
    unsigned list = list_of(bytes);
    if (list >= TOFT_LARGE_CLASSES || store->kept_bytes + bytes > TOFT_POOL_LARGE_BYTES)
        return false;
    toft_large *kept = memory;
    *kept = (toft_large){.next = store->kept[list], .memory = memory, .bytes = bytes};
    store->kept[list] = kept;
    store->kept_bytes += bytes;
    return true;
}

/* --- memory --- */

static void *map(toft_pool *pool, size_t bytes) {
    toft_lock(&pool->heap.lock);
    void *memory = toft_heap_map(pool, bytes, upstream_alignment);
    toft_unlock(&pool->heap.lock);
    return memory;
}

static void unmap(toft_pool *pool, void *memory, size_t bytes) {
    toft_lock(&pool->heap.lock);
    toft_heap_unmap(pool, memory, bytes, upstream_alignment);
    toft_unlock(&pool->heap.lock);
}

static toft_large *record_of(void *object) { return (toft_large *)object - 1; }

void *toft_pool_alloc_large(toft_pool_cache *cache, size_t size, size_t alignment) {
    toft_pool *pool = cache->pool;
    toft_large_store *store = &pool->large;
    size_t bytes = mapped_bytes(size, alignment);
    if (bytes == 0) return NULL;
    toft_lock(&store->lock);
    void *memory = take_kept(store, bytes);
    toft_unlock(&store->lock);
    if (memory == NULL) memory = map(pool, bytes);
    if (memory == NULL) {
        toft_pool_trim(pool);
        memory = map(pool, bytes);
    }
    if (memory == NULL) return NULL;

    char *object = (char *)toft_align_up((uintptr_t)memory + least_offset, alignment);
    toft_large *record = record_of(object);
    *record = (toft_large){.memory = memory, .bytes = bytes};
    toft_lock(&store->lock);
    link_live(store, record);
    toft_unlock(&store->lock);
    return object;
}

void toft_pool_free_large(toft_pool_cache *cache, void *object, size_t size, size_t alignment) {
    (void)size;
    (void)alignment;
    toft_pool *pool = cache->pool;
    toft_large_store *store = &pool->large;
    toft_large *record = record_of(object);
    void *memory = record->memory;
    size_t bytes = record->bytes;
    toft_lock(&store->lock);
    unlink_live(store, record);
    bool kept = keep(store, memory, bytes);
    toft_unlock(&store->lock);
    if (!kept) unmap(pool, memory, bytes);
}

void toft_large_trim(toft_pool *pool) {
    toft_large_store *store = &pool->large;
    for (unsigned list = 0; list < TOFT_LARGE_CLASSES; list++) {
        toft_lock(&store->lock);
        toft_large *kept = store->kept[list];
        store->kept[list] = NULL;
        for (toft_large *one = kept; one != NULL; one = one->next) store->kept_bytes -= one->bytes;
        toft_unlock(&store->lock);
        for (toft_large *next; kept != NULL; kept = next) {
            next = kept->next;
            unmap(pool, kept->memory, kept->bytes);
        }
    }
}

void toft_large_destroy(toft_pool *pool) {
    toft_large_trim(pool);
    for (toft_large *live = pool->large.live, *next; live != NULL; live = next) {
        next = live->next;
        toft_heap_unmap(pool, live->memory, live->bytes, upstream_alignment);
    }
}
