/* SPDX-License-Identifier: MIT */
/* The life of a reap and of its objects: made, moved, resized, reset, released, counted. */
#include "reap/order.h"

void toft_reap_init(toft_reap *reap, const toft_reap_options *options) {
    *reap = (toft_reap)TOFT_REAP_INIT;
    toft_arena_init(&reap->arena, options);
    toft_reap_set_closed(reap, reap->arena.first != NULL);
    toft_reap_prepare_to_be_full(reap);
}

void toft_reap_move(toft_reap *to, toft_reap *from) {
    toft_arena_check(&from->arena);
    if (to == from) return;
    *to = *from;
    toft_arena_move(&to->arena, &from->arena);
    for (toft_reap_savepoint *moved = to->savepoint; moved != NULL; moved = moved->outer)
        moved->point.arena = &to->arena;
    to->large = NULL;
    toft_reap_move_large(&to->large, &from->large);
    *from = (toft_reap)TOFT_REAP_INIT;
}

static void track_resized(char *object, size_t old_size, size_t new_size) {
    toft_track_write_word(toft_reap_tracked_size(object), new_size);
    old_size = toft_max(old_size, 1);
    new_size = toft_max(new_size, 1);
    if (new_size < old_size)
        toft_track_free(object + new_size, old_size - new_size);
    else
        toft_track_resized(object, old_size, new_size);
}

void *toft_reap_resize(toft_reap *reap, void *object, size_t old_size, size_t new_size,
                       size_t alignment) {
    if (object == NULL) return toft_reap_alloc(reap, new_size, alignment);
    if (!toft_is_power_of_two(alignment)) return NULL;
    if (toft_reap_fits_slot(old_size, alignment) && toft_reap_fits_slot(new_size, alignment) &&
        toft_reap_class(old_size, alignment) == toft_reap_class(new_size, alignment)) {
        if (toft_tracking()) track_resized(object, old_size, new_size);
        return object;
    }
    if (!toft_reap_fits_slot(old_size, alignment) && !toft_reap_fits_slot(new_size, alignment) &&
        toft_reap_resize_large(reap, object, old_size, new_size, alignment))
        return object;
    void *copy = toft_reap_alloc(reap, new_size, alignment);
    if (copy == NULL) return NULL;
    memcpy(copy, object, toft_min(old_size, new_size));
    toft_reap_free(reap, object, old_size, alignment);
    return copy;
}

/* Deferred functions run while everything is as they knew it. Then nothing is left but what the
   arena frees. */
static void forget(toft_reap *reap) {
    toft_arena_enter(&reap->arena);
    toft_arena_run_deferred(&reap->arena, NULL);
    toft_reap_note_high_water(reap);
    toft_reap_drop_large(reap);
    for (; reap->savepoint != NULL; reap->savepoint = reap->savepoint->outer) {
        toft_reap_move_large(&reap->large, &reap->savepoint->large);
        toft_reap_drop_large(reap);
    }
    reap->tracked_free = NULL;
    toft_reap_forget_slots(reap);
}

void toft_reap_reset(toft_reap *reap) {
    forget(reap);
    toft_arena_reset(&reap->arena);
    toft_reap_prepare_to_be_full(reap);
    TOFT_ASSERT(toft_reap_is_sound(reap));
}

void toft_reap_release(toft_reap *reap) {
    forget(reap);
    toft_arena_release(&reap->arena);
    reap->high_water_bytes = 0;
}

/* Live and free, of what the arena has in use, without the books of order.c and a tool's lists. */
static size_t taken_bytes(const toft_reap *reap, size_t used_bytes) {
    size_t own_bytes = reap->order == NULL ? 0 : reap->order->holes.own_bytes;
    if (reap->tracked_free != NULL) own_bytes += TOFT_REDZONE_BYTES + TOFT_REAP_TRACKED_BYTES;
    return used_bytes - own_bytes + reap->large_bytes;
}

void toft_reap_note_high_water(toft_reap *reap) {
    if (reap->arena.first == NULL) return;
    size_t now_bytes = taken_bytes(reap, toft_arena_used_bytes(&reap->arena));
    reap->high_water_bytes = toft_max(reap->high_water_bytes, now_bytes);
}

/* With the poisoned bytes in front of each slot, which were taken with it. */
static size_t bytes_in(toft_reap_slot *const *lists) {
    size_t bytes = 0, front_bytes = toft_redzone_bytes();
    for (unsigned size_class = 0; size_class < TOFT_REAP_CLASSES; size_class++)
        for (toft_reap_slot *slot = lists[size_class]; slot != NULL;
             slot = toft_reap_read_next(slot))
            bytes += front_bytes + toft_reap_slot_bytes(size_class);
    return bytes;
}

static size_t count_blocks(const toft_reap_large *large) {
    size_t blocks = 0;
    for (; large != NULL; large = large->next) blocks += large->block != NULL;
    return blocks;
}

toft_reap_stats toft_reap_get_stats(const toft_reap *reap) {
    toft_arena_stats arena = toft_arena_get_stats(&reap->arena);
    size_t free_bytes = bytes_in(reap->tracked_free != NULL ? reap->tracked_free : reap->free);
    size_t blocks = count_blocks(reap->large);
    for (const toft_reap_savepoint *savepoint = reap->savepoint; savepoint != NULL;
         savepoint = savepoint->outer) {
        free_bytes += bytes_in(savepoint->free);
        blocks += count_blocks(savepoint->large);
    }
    free_bytes += toft_reap_ordered_bytes(reap);
    size_t now_bytes = taken_bytes(reap, arena.used_bytes);
    return (toft_reap_stats){
        .used_bytes = now_bytes - free_bytes,
        .free_bytes = free_bytes,
        .reserved_bytes = arena.reserved_bytes,
        .high_water_bytes = toft_max(reap->high_water_bytes, now_bytes),
        .chunks = arena.chunks + blocks,
        .upstream_allocations = arena.upstream_allocations,
        .upstream_frees = arena.upstream_frees,
    };
}
