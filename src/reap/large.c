/* SPDX-License-Identifier: MIT */
/* Large objects. Each has a block from the arena's upstream for itself, within the arena's limit:
 *
 *     +------------+-----+-----------------+---------------------+
 *     | toft_chunk | ... | toft_reap_large | object              |
 *     +------------+-----+-----------------+---------------------+
 *
 * Freed, the block goes back at once: the system's recycler keeps it warm for the next one, of this
 * reap or another, and a vector that grows leaves nothing behind. While a first buffer has room,
 * they lie there, behind the same note, so that the upstream isn't called. */
#include "reap/order.h"

/* What an object takes behind the note: one of size 0 has an address of its own. */
static size_t taken_bytes(size_t size) {
    return toft_align_up(toft_max(size, 1), TOFT_ARENA_GRANULE);
}

static void push(toft_reap_large **list, toft_reap_large *pushed) {
    pushed->next = *list;
    pushed->link = list;
    if (pushed->next != NULL) pushed->next->link = &pushed->next;
    *list = pushed;
}

/* What must lie before the note, in memory from start on, for the object to be aligned. */
static size_t padding_bytes(uintptr_t start, size_t front_bytes, size_t alignment) {
    return toft_align_up(start + front_bytes, alignment) - (start + front_bytes);
}

/* Memory for the front and the object, and what aligns it. NULL where the arena is not, or no more,
   in its first buffer, or that has no room. */
static char *take_of_buffer(toft_reap *reap, size_t front_bytes, size_t object_bytes,
                            size_t alignment) {
    toft_arena *arena = &reap->arena;
    const toft_chunk *current = toft_arena_current(arena);
    if (current == NULL || !current->borrowed) return NULL;
    if (toft_tracking() && !toft_reap_has_tracked_lists(reap)) return NULL;
    uintptr_t start =
        toft_align_up((uintptr_t)arena->cur + toft_redzone_bytes(), TOFT_CHUNK_ALIGNMENT);
    size_t bytes = padding_bytes(start, front_bytes, alignment) + front_bytes + object_bytes;
    size_t left_bytes = (size_t)(current->end - arena->cur);
    size_t lost_bytes = start - (uintptr_t)arena->cur;
    if (left_bytes < lost_bytes || left_bytes - lost_bytes < bytes) return NULL;
    char *taken = toft_arena_alloc(arena, bytes, TOFT_CHUNK_ALIGNMENT);
    TOFT_ASSERT((uintptr_t)taken == start);
    if (toft_tracking()) toft_track_free(taken, bytes);
    return taken;
}

void *toft_reap_alloc_large(toft_reap *reap, size_t size, size_t alignment) {
    if (size > TOFT_ARENA_MAX || alignment > TOFT_ARENA_MAX) return NULL;
    toft_arena_enter(&reap->arena);
    size_t strongest = toft_max(alignment, TOFT_CHUNK_ALIGNMENT);
    size_t front_bytes = sizeof(toft_reap_large) + toft_redzone_bytes();
    size_t object_bytes = taken_bytes(size);
    toft_chunk *block = NULL;
    char *start = take_of_buffer(reap, front_bytes, object_bytes, strongest);
    if (start == NULL) {
        size_t bytes = front_bytes + (strongest - TOFT_CHUNK_ALIGNMENT) + object_bytes;
        block =
            toft_arena_take_block(&reap->arena, sizeof(toft_chunk) + bytes + toft_redzone_bytes());
        if (block == NULL) return NULL;
        block->prev = reap->arena.first;
        start = toft_chunk_start(block);
        reap->large_bytes += size;
    }
    char *object = (char *)toft_align_up((uintptr_t)start + front_bytes, strongest);
    toft_reap_large *large = (toft_reap_large *)(void *)(object - front_bytes);
    if (toft_tracking()) {
        toft_track_allocated(large, sizeof *large);
        toft_track_allocated(object, size);
    }
    *large = (toft_reap_large){.block = block, .size = size};
    push(&reap->large, large);
    toft_reap_prepare_to_be_full(reap);
    TOFT_ASSERT(toft_reap_is_sound(reap));
    return object;
}

/* What lies in the first buffer stays there. A note that nothing points to is one of an object that
   was freed. */
static void drop(toft_reap *reap, toft_reap_large *large) {
    *large->link = large->next;
    if (large->next != NULL) large->next->link = large->link;
    large->link = NULL;
    if (large->block == NULL) return;
    TOFT_ASSERT(reap->large_bytes >= large->size);
    reap->large_bytes -= large->size;
    toft_arena_give_block(&reap->arena, large->block);
}

/* Hands memory of the first buffer out again: by the arena where it comes last, and no savepoint
   may lie behind it; else as slots, the largest first. */
static void reuse(toft_reap *reap, char *memory, size_t bytes) {
    size_t front_bytes = toft_redzone_bytes();
    if (front_bytes != 0) toft_track_free(memory, bytes);
    if (reap->savepoint == NULL && toft_arena_free_last(&reap->arena, memory, bytes)) return;
    while (bytes >= front_bytes + TOFT_CHUNK_ALIGNMENT) {
        size_t least_bytes =
            toft_min(bytes - front_bytes, TOFT_REAP_SLOT_MAX) & ~(TOFT_CHUNK_ALIGNMENT - 1);
        unsigned size_class = toft_reap_class_within(least_bytes);
        size_t slot_bytes = toft_reap_slot_bytes(size_class);
        toft_reap_put(reap, memory + front_bytes, size_class);
        memory += front_bytes + slot_bytes;
        bytes -= front_bytes + slot_bytes;
    }
}

enum { block_reach_bytes = 1 << 30 }; /* what aligns an object is hardly ever more */

/* The pointer points to a note that is as it was written, as far as can be seen without following
   its own. Whoever writes beyond an object destroys the next one's block before the rest. */
static bool is_intact(toft_reap_large *const *pointer) {
    const toft_reap_large *note = *pointer;
    size_t before_bytes = (uintptr_t)note - (uintptr_t)note->block;
    return note->link == pointer && (note->block == NULL || before_bytes < block_reach_bytes);
}

/* 0 where the note isn't found before one that was overwritten, which leads nowhere. */
static size_t size_in(toft_reap_large *const *list, const void *note) {
    for (; *list != NULL && is_intact(list); list = &(*list)->next)
        if (*list == note) return (*list)->size;
    return 0;
}

/* Looks for the note in the reap's lists, since what lies in front of the object may be none. */
TOFT_NEVER_RETURNS static TOFT_COLD void misuse_of_size(const toft_reap *reap, const void *object,
                                                        toft_freed_as freed_as) {
    const void *note = (const char *)object - toft_redzone_bytes() - sizeof(toft_reap_large);
    const toft_reap_savepoint *savepoint = reap->savepoint;
    size_t size = size_in(&reap->large, note);
    for (; size == 0 && savepoint != NULL; savepoint = savepoint->outer)
        size = size_in(&savepoint->large, note);
    toft_misuse_of_size(object, TOFT_REAP_WRONG_SIZE, freed_as, size);
}

/* Whether an intact note is of this reap. A block leads to the chunk that its reap began with, as
   that goes along where the reap is moved. Its header is written once there is a large object. */
static bool is_of(const toft_reap *reap, const toft_reap_large *large) {
    const toft_chunk *first = reap->arena.first;
    if (reap->arena.ledger_unwritten) return false;
    if (large->block != NULL) return large->block->prev == first;
    return (uintptr_t)large - (uintptr_t)first < (uintptr_t)first->end - (uintptr_t)first;
}

/* The note of an object that is freed or resized. */
static toft_reap_large *find(const toft_reap *reap, void *object, size_t size, size_t alignment) {
    toft_arena_check(&reap->arena);
    if (reap->arena.first == NULL) toft_misuse(object, "freed to a reap that holds nothing");
    const toft_freed_as freed_as = {TOFT_NAMED_BOTH, size, alignment};
    if (!toft_is_power_of_two(alignment) || (uintptr_t)object % TOFT_CHUNK_ALIGNMENT != 0)
        misuse_of_size(reap, object, freed_as);
    void *front = (char *)object - toft_redzone_bytes() - sizeof(toft_reap_large);
    toft_reap_large *large = front;
    if (toft_tracking() && toft_track_is_free(large))
        toft_misuse_of_size(object, TOFT_REAP_TWICE_OR_WRONG_SIZE, freed_as, 0);
    if (large->size != size) misuse_of_size(reap, object, freed_as);
    if (large->link == NULL || *large->link != large)
        toft_misuse(object, "freed to a reap twice, or never allocated");
    if (!is_of(reap, large)) toft_misuse(object, TOFT_REAP_ANOTHERS);
    return large;
}

void toft_reap_free_large(toft_reap *reap, void *object, size_t size, size_t alignment) {
    toft_reap_large *large = find(reap, object, size, alignment);
    toft_reap_note_high_water(reap);
    bool in_buffer = large->block == NULL;
    drop(reap, large);
    if (in_buffer) {
        char *end = (char *)object + taken_bytes(size);
        reuse(reap, (char *)large, (size_t)(end - (char *)large));
    }
    toft_reap_renew_if_empty(reap);
}

/* Blocks are of a power of two, so that an object which grows step by step has room for many. */
bool toft_reap_resize_large(toft_reap *reap, void *object, size_t old_size, size_t new_size,
                            size_t alignment) {
    toft_reap_large *large = find(reap, object, old_size, alignment);
    const toft_chunk *block = large->block;
    if (block == NULL || !toft_is_aligned(object, alignment) || new_size > TOFT_ARENA_MAX ||
        new_size < old_size / 2)
        return false;
    const char *end = (const char *)block + block->bytes - toft_redzone_bytes();
    if (taken_bytes(new_size) > (size_t)(end - (const char *)object)) return false;
    toft_reap_note_high_water(reap);
    reap->large_bytes += new_size - old_size;
    large->size = new_size;
    if (toft_tracking()) {
        toft_track_resized(object, toft_min(old_size, new_size), new_size);
        if (new_size < old_size) toft_track_free((char *)object + new_size, old_size - new_size);
    }
    TOFT_ASSERT(toft_reap_is_sound(reap));
    return true;
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
