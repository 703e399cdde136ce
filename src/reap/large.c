/* SPDX-License-Identifier: MIT */
/* Large objects. Each has a block from the arena's upstream for itself, within the arena's limit:
 *
 *     +------------+-----+-----------------+---------------------+
 *     | toft_chunk | ... | toft_reap_large | object              |
 *     +------------+-----+-----------------+---------------------+
 *
 * Freed, the block goes back at once: the system's recycler keeps it warm for the next one, of this
 * reap or another, and a vector that grows leaves nothing behind. */
#include "reap/reap.h"

/* Between the note and its object, while a tool watches. */
static size_t redzone_bytes(void) { return toft_tracking() ? TOFT_REDZONE_BYTES : 0; }

static void push(toft_reap_large **list, toft_reap_large *pushed) {
    pushed->next = *list;
    pushed->link = list;
    if (pushed->next != NULL) pushed->next->link = &pushed->next;
    *list = pushed;
}

void *toft_reap_alloc_large(toft_reap *reap, size_t size, size_t alignment) {
    if (size > TOFT_ARENA_MAX || alignment > TOFT_ARENA_MAX) return NULL;
    size_t front_bytes = sizeof(toft_reap_large) + redzone_bytes();
    size_t padding_bytes = alignment > TOFT_CHUNK_ALIGNMENT ? alignment : 0;
    size_t least_bytes =
        sizeof(toft_chunk) + front_bytes + padding_bytes + toft_align_up(size, TOFT_ARENA_GRANULE);
    toft_chunk *block = toft_arena_take_block(&reap->arena, least_bytes);
    if (block == NULL) return NULL;
    uintptr_t start = (uintptr_t)toft_chunk_start(block);
    size_t strongest = toft_max(alignment, TOFT_CHUNK_ALIGNMENT);
    char *object = (char *)toft_align_up(start + front_bytes, strongest);
    toft_reap_large *large = (toft_reap_large *)(void *)(object - front_bytes);
    if (toft_tracking()) {
        toft_track_allocated(large, sizeof *large);
        toft_track_allocated(object, size);
    }
    *large = (toft_reap_large){.block = block, .size = size};
    push(&reap->large, large);
    reap->large_bytes += size;
    return object;
}

static void drop(toft_reap *reap, toft_reap_large *large) {
    *large->link = large->next;
    if (large->next != NULL) large->next->link = large->link;
    reap->large_bytes -= large->size;
    toft_arena_give_block(&reap->arena, large->block);
}

void toft_reap_free_large(toft_reap *reap, void *object, size_t size, size_t alignment) {
    if (!toft_is_power_of_two(alignment) || (uintptr_t)object % TOFT_CHUNK_ALIGNMENT != 0)
        toft_misuse(object, "freed to a reap with another size or alignment than allocated with");
    void *front = (char *)object - redzone_bytes() - sizeof(toft_reap_large);
    toft_reap_large *large = front;
    if (toft_tracking() && toft_track_is_free(large))
        toft_misuse(object, "freed to a reap twice, or with another size, or never allocated");
    if (large->size != size || *large->link != large)
        toft_misuse(object, "freed to a reap with another size or alignment than allocated with");
    toft_reap_note_high_water(reap);
    drop(reap, large);
}

void toft_reap_drop_large(toft_reap *reap) {
    while (reap->large != NULL) drop(reap, reap->large);
}

void toft_reap_move_large(toft_reap_large **to, toft_reap_large **from) {
    toft_reap_large *first = *from;
    if (first == NULL) return;
    if (*to != NULL) {
        toft_reap_large *last = first;
        while (last->next != NULL) last = last->next;
        last->next = *to;
        last->next->link = &last->next;
    }
    *to = first;
    first->link = to;
    *from = NULL;
}
