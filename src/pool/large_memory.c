/* SPDX-License-Identifier: MIT */
/* Where large objects' memory comes from. Up to TOFT_RUN_MAX_BYTES it is a run of a block that many
 * share; beyond, a mapping of its own.
 *
 * Sizes go in eight steps to a doubling. What is freed is kept for the next object of its step: a
 * few runs, which are still in the CPU's cache then, and mappings up to a bound that follows what
 * is live and what the program asks for again. A mapping also serves objects of the next shorter
 * steps as it is, and longer ones after lengthening: then only what is new costs page faults.
 * The store's lock is held in all but the last functions. */
#include "base/check.h"
#include "base/decay.h"
#include "base/list.h"
#include "os/tracking.h"
#include "pool/large_kept.h"
#include "pool/pool.h"

/* How far from an object's step its mapping may be besides: half as long; and half as long again
   where it is zeroed, since it is cleared as a whole, however little is touched of it. */
enum { longer_lists_for_zeros = 4, shorter_lists = 8 };

/* A pool's first block; later ones are as large as all before, up to TOFT_RUN_BLOCK_BYTES. */
static const size_t first_block_bytes = TOFT_SEGMENT_BYTES;

/* Runs that are kept apart for the next object of their step. None where the upstream takes nothing
   back: there all that is free must join. */
static const size_t kept_runs_max_bytes = (size_t)4 << 20;

/* Longer mappings go back at once, but for those of up to 1 GiB that are soon wanted again. */
static const size_t kept_own_max_bytes = (size_t)64 << 20;
static const size_t wanted_own_max_bytes = (size_t)1 << 30;

/* Zeroed memory of more than this is always fresh, and isn't kept: little of it may be touched. */
static const size_t sparse_min_bytes = (size_t)32 << 20;

static const size_t huge_min_bytes = 2 * TOFT_HUGE_PAGE_BYTES;

/* --- from the upstream and back --- */

static void *map(toft_pool *pool, size_t bytes, size_t alignment) {
    toft_large_store *store = &pool->large;
    void *memory = toft_spare_take(&store->spare, bytes);
    if (memory != NULL) {
        store->spare_bytes -= bytes;
        return memory;
    }
    toft_lock(&pool->heap.lock);
    memory = toft_heap_map(pool, bytes, alignment);
    toft_unlock(&pool->heap.lock);
    return memory;
}

/* What a destroyed pool has left. *touched_bytes: how much of its beginning may have contents. */
static void *map_kept(toft_pool *pool, size_t bytes, size_t *touched_bytes) {
    unsigned touched_units = 0;
    toft_lock(&pool->heap.lock);
    void *memory = toft_heap_take_kept(pool, bytes, TOFT_LARGE_MEMORY_ALIGNMENT, &touched_units);
    toft_unlock(&pool->heap.lock);
    bool is_segment = bytes == TOFT_SEGMENT_BYTES;
    if (memory != NULL)
        *touched_bytes = is_segment ? toft_log2_ceil(touched_units + 1) * TOFT_UNIT_BYTES : bytes;
    return memory;
}

static void unmap(toft_pool *pool, void *memory, size_t bytes) {
    toft_large_store *store = &pool->large;
    if (!toft_heap_takes_back(&pool->heap)) {
        toft_spare_give(&store->spare, memory, bytes);
        store->spare_bytes += bytes;
        return;
    }
    toft_lock(&pool->heap.lock);
    toft_heap_unmap(pool, memory, bytes, TOFT_LARGE_MEMORY_ALIGNMENT);
    toft_unlock(&pool->heap.lock);
}

static void note_mapped(toft_pool *pool, toft_idle *kind, size_t bytes) {
    toft_idle_note_mapped(kind, bytes);
    toft_heap_note_grown(&pool->heap, bytes);
}

/* --- runs --- */

void toft_large_join_kept_runs(toft_pool *pool) {
    toft_large_store *store = &pool->large;
    for (unsigned list = 0; store->kept_run_bytes != 0; list++) {
        for (toft_large kept; (kept = toft_kept_pop(store, list)).memory != NULL;) {
            toft_runs_give(&store->runs, kept.block, kept.memory, kept.bytes);
            store->kept_run_bytes -= kept.bytes;
        }
    }
}

/* A pool's first blocks are of a segment's size, so that any that a destroyed pool has left serves.
   *touched_bytes is as in map_kept. */
static void *map_block(toft_pool *pool, size_t bytes, size_t *touched_bytes) {
    void *kept = map_kept(pool, bytes, touched_bytes);
    if (kept != NULL) return kept;
    bool is_segment = bytes == first_block_bytes && toft_heap_from_system(&pool->heap);
    return map(pool, bytes, is_segment ? TOFT_SEGMENT_BYTES : TOFT_LARGE_MEMORY_ALIGNMENT);
}

static void *add_block(toft_pool *pool, size_t block_bytes, size_t bytes, toft_run_block **block) {
    block_bytes = toft_align_up(block_bytes, toft_os_page_bytes());
    size_t touched_bytes = 0;
    void *added = map_block(pool, block_bytes, &touched_bytes);
    if (added == NULL) return NULL;
    toft_runs_add(&pool->large.runs, added, block_bytes, touched_bytes);
    return toft_runs_take(&pool->large.runs, bytes, block);
}

/* Adds a block for many where no other has room and there may be more, or, where that can't be had,
   one for this object alone. */
static void *take_from_blocks(toft_pool *pool, size_t bytes, toft_growth growth,
                              toft_run_block **block) {
    toft_runs *runs = &pool->large.runs;
    void *taken = toft_runs_take(runs, bytes, block);
    if (taken == NULL && pool->large.kept_run_bytes != 0) {
        toft_large_join_kept_runs(pool);
        taken = toft_runs_take(runs, bytes, block);
    }
    if (taken != NULL || growth == toft_no_growth) return taken;
    size_t least_bytes = toft_run_least_block_bytes(bytes);
    size_t usual_bytes = first_block_bytes;
    while (usual_bytes < runs->held_bytes && usual_bytes < TOFT_RUN_BLOCK_BYTES) usual_bytes *= 2;
    if (usual_bytes > least_bytes) taken = add_block(pool, usual_bytes, bytes, block);
    return taken != NULL ? taken : add_block(pool, least_bytes, bytes, block);
}

void toft_large_trim_runs(toft_pool *pool, size_t keep_bytes, size_t part_bytes) {
    toft_runs *runs = &pool->large.runs;
    size_t empty_bytes = runs->empty_bytes - toft_min(runs->empty_bytes, part_bytes);
    size_t dirty_bytes = runs->dirty_bytes - toft_min(runs->dirty_bytes, part_bytes);
    size_t keep_empty_bytes = toft_max(keep_bytes, empty_bytes);
    for (toft_run_block *popped; (popped = toft_runs_pop_empty(runs, keep_empty_bytes)) != NULL;)
        unmap(pool, popped, toft_run_block_bytes(popped));
    if (toft_heap_from_system(&pool->heap))
        toft_runs_discard(runs, toft_max(keep_bytes, dirty_bytes));
}

static bool take_run(toft_pool *pool, toft_growth growth, toft_large *taken) {
    toft_large_store *store = &pool->large;
    toft_large kept = toft_kept_pop(store, toft_large_class(taken->bytes));
    size_t fresh_bytes = 0;
    if (kept.memory != NULL) {
        taken->memory = kept.memory;
        taken->block = kept.block;
        store->kept_run_bytes -= taken->bytes;
    } else {
        taken->memory = take_from_blocks(pool, taken->bytes, growth, &taken->block);
        if (taken->memory == NULL) return false;
        taken->fresh = toft_heap_from_system(&pool->heap) && store->runs.took_fresh;
        fresh_bytes = store->runs.took_clean_bytes;
    }
    note_mapped(pool, &store->idle_runs, fresh_bytes);
    toft_idle_note_reused(&store->idle_runs, taken->bytes - toft_min(fresh_bytes, taken->bytes));
    return true;
}

static void give_run(toft_pool *pool, const toft_large *given, size_t bound_bytes) {
    toft_large_store *store = &pool->large;
    size_t kept_max_bytes = toft_min(kept_runs_max_bytes, bound_bytes);
    if (toft_heap_takes_back(&pool->heap) &&
        store->kept_run_bytes + given->bytes <= kept_max_bytes) {
        toft_kept_push(store, toft_large_class(given->bytes), given->block, given->memory,
                       given->bytes);
        store->kept_run_bytes += given->bytes;
        return;
    }
    toft_runs_give(&store->runs, given->block, given->memory, given->bytes);
    size_t free_bytes = store->runs.dirty_bytes + store->kept_run_bytes;
    if (toft_max(free_bytes, store->runs.empty_bytes) > bound_bytes)
        toft_large_set_sheds(store, true);
}

/* --- mappings of their own --- */

/* Pages of 2 MiB for a mapping, some of it fresh, in a program that gives back as much and soon
   asks for it again, since a fresh page costs as much as to fill it a few times. No more than that:
   memory of which little is touched would be lost. */
static bool wants_huge_pages(const toft_pool *pool, size_t bytes, size_t fresh_bytes) {
    const toft_large_store *store = &pool->large;
    return bytes >= huge_min_bytes && toft_heap_from_system(&pool->heap) &&
           (toft_idle_shed_lately_bytes(&store->idle_own) >= fresh_bytes / 2 ||
            toft_idle_wanted_bytes(&store->idle_own) >= store->live_bytes + fresh_bytes);
}

static void *map_own(toft_pool *pool, size_t bytes, bool for_zeros) {
    void *memory = NULL;
    if (!for_zeros && wants_huge_pages(pool, bytes, bytes))
        memory = map(pool, bytes, TOFT_HUGE_PAGE_BYTES);
    return memory != NULL ? memory : map(pool, bytes, TOFT_LARGE_MEMORY_ALIGNMENT);
}

void *toft_large_remap_own(toft_pool *pool, const toft_large *mapping, size_t new_bytes) {
    bool for_zeros = mapping->for_zeros;
    size_t bytes = mapping->bytes;
    toft_lock(&pool->heap.lock);
    void *remapped = toft_heap_remap(pool, mapping->memory, bytes, new_bytes);
    toft_unlock(&pool->heap.lock);
    if (remapped == NULL || new_bytes < bytes || for_zeros) return remapped;
    size_t fresh_bytes = new_bytes - bytes;
    if (wants_huge_pages(pool, new_bytes, fresh_bytes)) toft_os_prefer_huge(remapped, new_bytes);
    note_mapped(pool, &pool->large.idle_own, fresh_bytes);
    return remapped;
}

/* A shorter one that is kept, made longer; NULL where there is none or it can't be done. */
static void *lengthen_kept(toft_pool *pool, size_t bytes) {
    toft_large_store *store = &pool->large;
    unsigned list = toft_large_class(bytes), least = toft_large_class(TOFT_RUN_MAX_BYTES + 1);
    if (!toft_heap_from_system(&pool->heap) || toft_tracking() || list == least ||
        list >= TOFT_LARGE_CLASSES)
        return NULL;
    unsigned last = list > least + shorter_lists ? list - shorter_lists : least;
    toft_large kept = toft_kept_pop_own(store, list - 1, last);
    if (kept.memory == NULL) return NULL;
    void *memory = toft_large_remap_own(pool, &kept, bytes);
    if (memory != NULL && toft_map_reserve(memory, bytes)) return memory;
    if (memory != NULL)
        unmap(pool, memory, bytes);
    else
        toft_kept_push_own(store, kept.memory, kept.bytes);
    return NULL;
}

static bool take_kept_own(toft_pool *pool, bool for_zeros, toft_large *taken) {
    unsigned list = toft_large_class(taken->bytes);
    unsigned longest = list + (for_zeros ? longer_lists_for_zeros : TOFT_KEPT_LONGER);
    toft_large kept = toft_kept_pop_own(&pool->large, list, longest);
    if (kept.memory == NULL) kept = toft_large_cut_longest(pool, taken->bytes);
    if (kept.memory == NULL) kept.memory = lengthen_kept(pool, taken->bytes);
    if (kept.memory == NULL) return false;
    taken->memory = kept.memory;
    taken->bytes = toft_max(taken->bytes, kept.bytes);
    taken->room_bytes = kept.room_bytes;
    toft_idle_note_reused(&pool->large.idle_own, taken->bytes);
    return true;
}

/* Some are kept. */
static toft_large pop_longest_own(toft_large_store *store) {
    toft_large longest =
        toft_kept_pop_own(store, TOFT_LARGE_CLASSES - 1, toft_large_class(TOFT_RUN_MAX_BYTES + 1));
    TOFT_ASSERT(longest.memory != NULL);
    return longest;
}

void toft_large_trim_own(toft_pool *pool, size_t keep_bytes) {
    toft_large_store *store = &pool->large;
    while (store->kept_own_bytes > keep_bytes) {
        toft_large longest = pop_longest_own(store);
        unmap(pool, longest.memory, longest.bytes);
    }
}

/* Not for zeros: all of it would have to be cleared, however little is touched. */
static bool take_left_own(toft_pool *pool, bool for_zeros, toft_large *taken) {
    size_t touched_bytes;
    taken->memory = for_zeros ? NULL : map_kept(pool, taken->bytes, &touched_bytes);
    return taken->memory != NULL;
}

static bool take_fresh_own(toft_pool *pool, bool for_zeros, toft_large *taken) {
    taken->memory = map_own(pool, taken->bytes, for_zeros);
    if (taken->memory == NULL) return false;
    taken->fresh = toft_heap_from_system(&pool->heap);
    taken->for_zeros = for_zeros;
    if (!for_zeros) note_mapped(pool, &pool->large.idle_own, taken->bytes);
    return true;
}

static bool is_sparse(const toft_pool *pool, bool for_zeros, size_t bytes) {
    return for_zeros && bytes > sparse_min_bytes && toft_heap_from_system(&pool->heap);
}

/* What is kept can't serve a sparse one, and makes room for it. */
static bool take_own(toft_pool *pool, bool for_zeros, toft_large *taken) {
    if (!is_sparse(pool, for_zeros, taken->bytes))
        return take_kept_own(pool, for_zeros, taken) || take_left_own(pool, for_zeros, taken) ||
               take_fresh_own(pool, for_zeros, taken);
    if (take_fresh_own(pool, true, taken)) {
        size_t kept_bytes = pool->large.kept_own_bytes;
        toft_large_trim_own(pool, kept_bytes - toft_min(kept_bytes, taken->bytes));
        return true;
    }
    return take_kept_own(pool, true, taken);
}

/* In a fork's handler a user's upstream gets nothing but what is longer still. */
static size_t longest_kept_own_bytes(const toft_pool *pool) {
    if (!toft_heap_may_give_back(&pool->heap)) return wanted_own_max_bytes;
    size_t wanted_bytes = toft_idle_wanted_bytes(&pool->large.idle_own);
    return toft_max(kept_own_max_bytes, toft_min(wanted_bytes, wanted_own_max_bytes));
}

/* The next object in it may start where the map doesn't reach yet, if it was lengthened. */
static bool keep_own(toft_pool *pool, const toft_large *given) {
    return !is_sparse(pool, given->for_zeros, given->bytes) &&
           given->bytes <= longest_kept_own_bytes(pool) && toft_heap_takes_back(&pool->heap) &&
           toft_map_reserve(given->memory, given->bytes);
}

static void give_own(toft_pool *pool, const toft_large *given) {
    toft_large whole = *given;
    toft_large_take_room(pool, &whole);
    if (keep_own(pool, &whole)) {
        toft_kept_push_own(&pool->large, whole.memory, whole.bytes);
        return;
    }
    unmap(pool, whole.memory, whole.bytes);
    if (!whole.for_zeros) toft_idle_note_shed(&pool->large.idle_own, whole.bytes);
}

/* --- either --- */

bool toft_large_take_memory(toft_pool *pool, bool for_zeros, toft_growth growth,
                            toft_large *taken) {
    return taken->bytes > TOFT_RUN_MAX_BYTES ? take_own(pool, for_zeros, taken)
                                             : take_run(pool, growth, taken);
}

/* What runs leave of the bound; but mappings that are soon wanted again don't give way to runs,
   unless the pool's options say how much may stay in all. */
static size_t own_bound_bytes(const toft_pool *pool, size_t bound_bytes) {
    const toft_large_store *store = &pool->large;
    size_t run_bytes = store->runs.dirty_bytes + store->kept_run_bytes;
    size_t left_bytes = bound_bytes - toft_min(bound_bytes, run_bytes);
    if (pool->heap.keep_bytes != 0) return left_bytes;
    return toft_max(left_bytes, toft_idle_wanted_bytes(&store->idle_own));
}

void toft_large_give_memory(toft_pool *pool, const toft_large *given) {
    toft_large_store *store = &pool->large;
    size_t bound_bytes =
        toft_heap_may_give_back(&pool->heap) ? toft_large_keep_bytes(pool) : SIZE_MAX;
    if (given->block != NULL)
        give_run(pool, given, bound_bytes);
    else
        give_own(pool, given);
    size_t before_bytes = store->kept_own_bytes;
    toft_large_trim_own(pool, own_bound_bytes(pool, bound_bytes));
    toft_idle_note_shed(&store->idle_own, before_bytes - store->kept_own_bytes);
}

/* --- the end --- */

/* Live objects in a run block that goes away. */
static void forget_objects(const void *memory, size_t bytes) {
    for (void *object; (object = toft_map_find_large(memory, bytes)) != NULL;) {
        toft_large *record = toft_large_record(object);
        if (toft_tracking()) toft_track_readable(record, sizeof *record);
        toft_map_remove_large(object, record->map_before);
    }
}

/* For other pools, or for the system. */
static void leave(toft_pool *pool, void *memory, size_t bytes, unsigned touched_units) {
    if (!toft_heap_keep(pool, memory, bytes, touched_units)) unmap(pool, memory, bytes);
}

static void leave_block(toft_pool *pool, toft_run_block *block) {
    size_t touched_bytes = toft_align_up(toft_run_block_touched_bytes(block), TOFT_UNIT_BYTES);
    size_t bytes = toft_run_block_bytes(block);
    bool is_segment = bytes == first_block_bytes;
    leave(pool, block, bytes, is_segment ? (1U << touched_bytes / TOFT_UNIT_BYTES) - 1 : 0);
}

void toft_large_destroy(toft_pool *pool) {
    toft_large_store *store = &pool->large;
    toft_lock(&store->lock);
    toft_large_join_kept_runs(pool);
    for (toft_run_block *block; (block = toft_runs_pop_any(&store->runs)) != NULL;) {
        forget_objects(block, toft_run_block_bytes(block));
        leave_block(pool, block);
    }
    for (toft_large *live = store->live, *next; live != NULL; live = next) {
        next = live->next;
        toft_map_remove_large(toft_large_object(live), live->map_before);
        leave(pool, live->memory, live->bytes, 0);
    }
    while (store->kept_own_bytes != 0) {
        toft_large kept = pop_longest_own(store);
        leave(pool, kept.memory, kept.bytes, 0);
    }
    if (toft_tracking()) toft_spare_forget(store->spare);
    toft_unlock(&store->lock);
}
