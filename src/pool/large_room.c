/* SPDX-License-Identifier: MIT */
/* Room in mappings that large objects have left.
 *
 * For another large object: an array that grew to some length, was freed, and grows again would
 * find no mapping of its first steps, and map all anew. So the longest one is cut, and what is
 * behind the cut stays kept: the object grows into it again, without a page fault or a copy, unless
 * another has taken it meanwhile.
 *
 *     +------------------+------------------------------------------------------+
 *     | the object       | kept: room_bytes of the object's record, when it was cut
 *     +------------------+------------------------------------------------------+
 *
 * For small objects: a program whose tables grow leaves mappings that may never be asked for again;
 * while its heap is small they would be much of all that it holds, and their pages are there
 * already.
 *
 *     +----------------------------------------------------------+------------------+ - - +
 *     | kept for large objects, if it is long enough             | a segment        |     |
 *     +----------------------------------------------------------+------------------+ - - +
 */
#include "base/check.h"
#include "pool/large_kept.h"
#include "pool/pool.h"
#include "pool/segments.h"

/* A user's upstream gets back what it gave. */
static bool may_cut(const toft_pool *pool) {
    return toft_heap_from_system(&pool->heap) && !toft_tracking();
}

/* --- for another large object --- */

/* Each part of a mapping goes back by itself. */
static void count_parts(toft_pool *pool, int more) {
    toft_lock(&pool->heap.lock);
    pool->heap.upstream_allocations += (size_t)more;
    toft_unlock(&pool->heap.lock);
}

void toft_large_leave_room(toft_pool *pool, toft_large *mapping, size_t bytes) {
    TOFT_ASSERT(bytes <= mapping->bytes);
    size_t room_bytes = mapping->bytes - bytes;
    mapping->room_bytes = 0;
    if (toft_kept_step(room_bytes) == 0) return;
    toft_kept_push_own(&pool->large, (char *)mapping->memory + bytes, room_bytes);
    mapping->bytes = bytes;
    mapping->room_bytes = room_bytes;
    count_parts(pool, 1);
}

toft_large toft_large_cut_longest(toft_pool *pool, size_t bytes) {
    toft_large cut = {.memory = NULL};
    if (may_cut(pool)) cut = toft_kept_pop_longest(&pool->large, bytes);
    if (cut.memory != NULL) toft_large_leave_room(pool, &cut, bytes);
    return cut;
}

void toft_large_take_room(toft_pool *pool, toft_large *mapping) {
    if (mapping->room_bytes == 0) return;
    const char *end = (char *)mapping->memory + mapping->bytes;
    toft_large room = toft_kept_pop_at(&pool->large, end, mapping->room_bytes);
    mapping->room_bytes = 0;
    if (room.memory == NULL) return;
    mapping->bytes += room.bytes; /* or some of it, since the heap may have got the rest */
    count_parts(pool, -1);
}

/* --- for small objects --- */

/* Gives the heap a mapping's last segment, or all segments where the rest would be a run's length.
   Should it be wanted again after all, it was given back too early. */
static void hand_over(toft_pool *pool, const toft_large *mapping) {
    uintptr_t begin = (uintptr_t)mapping->memory, end = begin + mapping->bytes;
    uintptr_t last = (end & ~(uintptr_t)(TOFT_SEGMENT_BYTES - 1)) - TOFT_SEGMENT_BYTES;
    TOFT_ASSERT(begin <= last);
    bool keeps = toft_kept_step(last - begin) != 0;
    size_t kept_bytes = keeps ? last - begin : 0;
    if (keeps) toft_kept_push_own(&pool->large, mapping->memory, kept_bytes);
    toft_idle_note_shed(&pool->large.idle_own, mapping->bytes - kept_bytes);
    toft_heap_adopt(pool, (char *)mapping->memory + kept_bytes, mapping->bytes - kept_bytes, keeps);
}

/* By all that it holds, without the mappings that lie idle. */
static bool pool_is_small(const toft_pool *pool) {
    size_t held_bytes = __atomic_load_n(&pool->heap.reserved_bytes, __ATOMIC_RELAXED);
    return held_bytes < TOFT_HEAP_SINGLE_SEGMENTS_BYTES + pool->large.kept_own_bytes;
}

/* Not what was used since the heap grew last, nor what is soon wanted again: that may lie on huge
   pages, which a cut would split. And not while destroyed pools have left better pieces. */
static bool may_hand_over(const toft_pool *pool) {
    const toft_large_store *store = &pool->large;
    return store->kept_own_low_bytes > toft_idle_wanted_bytes(&store->idle_own) &&
           pool_is_small(pool) && !toft_segments_keep_any();
}

void toft_large_hand_over(toft_pool *pool) {
    toft_large_store *store = &pool->large;
    if (!may_cut(pool)) return;
    toft_lock(&store->lock);
    toft_large shortest = {.memory = NULL};
    if (may_hand_over(pool))
        shortest = toft_kept_pop_own(store, toft_large_class(TOFT_RUN_MAX_BYTES + 1),
                                     TOFT_LARGE_CLASSES - 1);
    if (shortest.memory != NULL) hand_over(pool, &shortest);
    store->kept_own_low_bytes = store->kept_own_bytes;
    toft_large_count(store);
    toft_unlock(&store->lock);
}
