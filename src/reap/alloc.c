/* SPDX-License-Identifier: MIT */
/* Slots, beyond the inlined path: from the arena, for a tool that tracks memory, while a savepoint
 * stands.
 */
#include "reap/order.h"

static toft_reap_slot *pop(toft_reap_slot **list) {
    toft_reap_slot *popped = *list;
    if (popped != NULL) *list = toft_reap_read_next(popped);
    return popped;
}

/* Lists that only the slow path sees. They lie before any savepoint, since one's memory comes by
   this way too. */
bool toft_reap_has_tracked_lists(toft_reap *reap) {
    if (reap->tracked_free != NULL) return true;
    reap->tracked_free =
        toft_arena_calloc(&reap->arena, 1, TOFT_REAP_TRACKED_BYTES, _Alignof(toft_reap_slot *));
    return reap->tracked_free != NULL;
}

/* New memory first, and freed slots only where the chunk has no more: the longer a slot lies
   poisoned, the likelier is a use after its free to be seen. */
static TOFT_COLD void *alloc_tracked(toft_reap *reap, unsigned size_class, size_t size) {
    if (!toft_reap_has_tracked_lists(reap)) return NULL;
    toft_arena *arena = &reap->arena;
    size_t bytes = toft_reap_slot_bytes(size_class);
    size_t alignment = toft_reap_slot_alignment(size_class);
    size_t left_bytes = (size_t)(toft_arena_current(arena)->end - arena->cur);
    void *slot = NULL;
    if (left_bytes < TOFT_REDZONE_BYTES + alignment + bytes)
        slot = pop(&reap->tracked_free[size_class]);
    if (slot == NULL) {
        slot = toft_arena_alloc(arena, bytes, alignment);
        if (slot == NULL) return NULL;
        toft_track_free(slot, bytes);
    }
    toft_track_allocated(slot, toft_max(size, 1));
    toft_track_write_word(toft_reap_tracked_size(slot), size);
    toft_track_write_word(toft_reap_tracked_owner(slot), (uintptr_t)arena->first);
    return slot;
}

static void *take_new(toft_reap *reap, unsigned size_class) {
    void *slot = toft_reap_extend(reap, size_class);
    if (slot != NULL) return slot;
    slot = toft_arena_alloc_slow(&reap->arena, toft_reap_slot_bytes(size_class),
                                 toft_reap_slot_alignment(size_class));
    if (slot == NULL)
        return toft_reap_is_full(reap) ? NULL : toft_reap_take_of_full(reap, size_class);
    toft_reap_prepare_to_be_full(reap);
    toft_reap_settle_end(reap);
    toft_reap_raise_floor(reap);
    return slot;
}

static void *take(toft_reap *reap, unsigned size_class) {
    void *slot = NULL;
    if (toft_reap_is_full(reap))
        slot = toft_reap_take_of_full(reap, size_class);
    else if (reap->order != NULL)
        slot = toft_reap_take_in_order(reap, size_class);
    if (slot == NULL) slot = toft_reap_take_gathered(reap, size_class);
    if (slot == NULL) return take_new(reap, size_class);
    toft_reap_raise_floor(reap);
    return slot;
}

/* Beyond the first chunk it pays to be as new when all is freed; within it, a pair of allocation
   and free shouldn't cost more for it. */
static bool begins_to_renew(const toft_reap *reap) {
    const toft_arena *arena = &reap->arena;
    return reap->floor == 0 && reap->savepoint == NULL && !reap->arena_shared &&
           !arena->ledger_unwritten && toft_arena_current(arena) != arena->first;
}

void *toft_reap_alloc_slow(toft_reap *reap, size_t size, size_t alignment) {
    if (!toft_is_power_of_two(alignment)) return NULL;
    if (!toft_reap_fits_slot(size, alignment)) return toft_reap_alloc_large(reap, size, alignment);
    unsigned size_class = toft_reap_class(size, alignment);
    bool tracking = toft_tracking();
    bool first = reap->arena.first == NULL;
    void *slot = tracking ? alloc_tracked(reap, size_class, size) : take(reap, size_class);
    if (slot == NULL) return NULL;
    reap->allocated++;
    if (first || tracking) toft_reap_set_closed(reap, true);
    if (!tracking && begins_to_renew(reap)) toft_reap_set_floor(reap, 1);
    TOFT_ASSERT(toft_reap_is_sound(reap));
    return slot;
}

static bool lies_from(const void *begin, const toft_chunk *chunk, const void *slot) {
    return (uintptr_t)slot - (uintptr_t)begin < (uintptr_t)chunk->end - (uintptr_t)begin;
}

/* Each savepoint that the slot lies before must find it in its lists, and the oldest such ends
   last. Their live objects become fewer by `freed`. Chunks and savepoints both go from the newest
   to the oldest, so that one walk along both is enough. */
static void put(toft_reap *reap, void *slot, unsigned size_class, ptrdiff_t freed) {
    toft_reap_slot **lists = toft_reap_lists(reap);
    const toft_chunk *chunk = toft_arena_current(&reap->arena);
    for (toft_reap_savepoint *savepoint = reap->savepoint; savepoint != NULL;
         savepoint = savepoint->outer) {
        const toft_savepoint *point = &savepoint->point;
        while (chunk != point->chunk && !lies_from(chunk, chunk, slot)) chunk = chunk->prev;
        if (chunk != point->chunk || lies_from(point->cur, chunk, slot)) break;
        lists = savepoint->free;
        savepoint->live -= freed;
    }
    toft_reap_write_next(slot, lists[size_class]);
    lists[size_class] = slot;
}

void toft_reap_put(toft_reap *reap, void *slot, unsigned size_class) {
    put(reap, slot, size_class, 0);
}

/* A tool's own books say what is free. What stands in front of an object is its size only if its
   owner stands there too. */
static void check_tracked(const toft_reap *reap, void *object, size_t size) {
    const toft_freed_as freed_as = {TOFT_NAMED_SIZE, size, 0};
    if (reap->tracked_free == NULL || toft_track_is_free(object))
        toft_misuse_of_size(object, TOFT_REAP_TWICE_OR_WRONG_SIZE, freed_as, 0);
    size_t allocated_bytes = toft_track_read_word(toft_reap_tracked_size(object));
    bool is_its =
        toft_track_read_word(toft_reap_tracked_owner(object)) == (uintptr_t)reap->arena.first;
    if (allocated_bytes != size)
        toft_misuse_of_size(object, is_its ? TOFT_REAP_WRONG_SIZE : TOFT_REAP_TWICE_OR_WRONG_SIZE,
                            freed_as, is_its ? allocated_bytes : 0);
    if (!is_its) toft_misuse(object, TOFT_REAP_ANOTHERS);
}

/* A large object keeps the reap as it is. */
static bool may_renew(const toft_reap *reap) {
    return reap->floor != 0 && reap->large == NULL && !reap->arena_shared && !reap->closed;
}

void toft_reap_renew_if_empty(toft_reap *reap) {
    if (toft_reap_live(reap) != 0 || !may_renew(reap)) return;
    toft_reap_note_high_water(reap);
    toft_reap_forget_slots(reap);
    toft_arena_reset(&reap->arena);
    toft_reap_prepare_to_be_full(reap);
    TOFT_ASSERT(toft_reap_is_sound(reap));
}

void toft_reap_free_slow(toft_reap *reap, void *object, size_t size, unsigned size_class) {
    toft_arena_check(&reap->arena);
    if (reap->arena.first == NULL) toft_misuse(object, "freed to a reap that holds nothing");
    if (object == (void *)reap->free[size_class]) toft_misuse(object, "freed to a reap twice");
    bool tracking = toft_tracking();
    if (tracking) {
        check_tracked(reap, object, size);
        toft_track_free(object, toft_reap_slot_bytes(size_class));
    }
    put(reap, object, size_class, 1);
    toft_reap_set_closed(reap, tracking || reap->savepoint != NULL);
    ptrdiff_t live = toft_reap_live(reap);
    if (live < 0) toft_misuse(object, "more was freed to a reap than was allocated");
    TOFT_ASSERT(toft_reap_is_sound(reap));
    if (reap->closed) return;
    toft_reap_renew_if_empty(reap);
    if (live < reap->floor) toft_reap_order_lists(reap);
}
