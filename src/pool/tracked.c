/* SPDX-License-Identifier: MIT */
/* What the pool does while AddressSanitizer or Valgrind tracks memory: no cache, a record behind
 * each object, and a quarantine for what is freed.
 *
 *     slot
 *    +------------------+----------------------------+------+
 *    | object           | poisoned, 8 bytes at least | size |
 *    +------------------+----------------------------+------+
 *
 * All of a slot is poisoned but its object, so that the tool sees each overrun; the record tells a
 * wrong size, and a second free finds the object poisoned. */
#include "base/bits.h"
#include "os/tracking.h"
#include "pool/slots.h"

enum { record_bytes = 16 };

/* Where there is no class with room for a record, it is a large object. */
static bool has_class(unsigned size_class, size_t size) {
    return toft_align_up(size + record_bytes, toft_slot_alignment(size_class)) <=
           TOFT_POOL_SMALL_MAX;
}

/* The class of the slot that such an object has while it is tracked. */
static unsigned tracked_class(unsigned size_class, size_t size) {
    return toft_pool_class_of_aligned(size + record_bytes, toft_slot_alignment(size_class));
}

static size_t *record_in(void *slot, unsigned size_class) {
    return (size_t *)(void *)((char *)slot + toft_slot_bytes(size_class)) - 1;
}

static bool lies_in(const void *object, const toft_block *blocks) {
    for (const toft_block *block = blocks; block != NULL; block = block->next) {
        uintptr_t begin = (uintptr_t)toft_segment_of(block);
        if ((uintptr_t)object - begin < block->bytes) return true;
    }
    return false;
}

/* The span that the pool's object lies in, or would lie in; NULL where its memory isn't the pool's.
   Linear in the pool's blocks. */
static toft_span *find_span(toft_pool *pool, const void *object) {
    toft_heap *heap = &pool->heap;
    toft_lock(&heap->lock);
    bool found = lies_in(object, heap->blocks) || lies_in(object, heap->unused_blocks);
    toft_unlock(&heap->lock);
    return found ? toft_span_of(object) : NULL;
}

static void *take_slot(toft_pool *pool, unsigned size_class) {
    void *slot = toft_slot_take(pool, size_class);
    if (slot != NULL) return slot;
    toft_pool_trim(pool);
    slot = toft_slot_take(pool, size_class);
    if (slot != NULL || !toft_heap_reclaim_everything(pool, TOFT_SEGMENT_BYTES)) return slot;
    return toft_slot_take(pool, size_class);
}

void *toft_tracked_take(toft_pool *pool, unsigned size_class, size_t size) {
    if (!has_class(size_class, size))
        return toft_pool_alloc_large(&pool->none, size, toft_slot_alignment(size_class));
    unsigned tracked = tracked_class(size_class, size);
    void *slot = take_slot(pool, tracked);
    if (slot == NULL) return NULL;
    toft_track_free(slot, toft_slot_bytes(tracked));
    toft_track_write_word(record_in(slot, tracked), size);
    toft_track_allocated(slot, toft_max(size, 1));
    return slot;
}

/* --- what is freed --- */

static void give_slot(toft_pool *pool, void *slot) {
    if (slot == NULL) return;
    toft_slot_give(pool, slot, toft_span_of(slot)->size_class);
    toft_pool_wake(pool);
    toft_pool_tell_misuse(pool);
}

static void put_in_quarantine(toft_pool *pool, void *slot) {
    toft_quarantine *quarantine = &pool->quarantine;
    toft_lock(&pool->lock);
    void *released = quarantine->slots[quarantine->oldest];
    quarantine->slots[quarantine->oldest] = slot;
    quarantine->oldest = (quarantine->oldest + 1) % TOFT_QUARANTINE_PLACES;
    toft_unlock(&pool->lock);
    give_slot(pool, released);
}

void toft_quarantine_empty(toft_pool *pool) {
    for (unsigned i = 0; i < TOFT_QUARANTINE_PLACES; i++) {
        toft_lock(&pool->lock);
        void *released = pool->quarantine.slots[i];
        pool->quarantine.slots[i] = NULL;
        toft_unlock(&pool->lock);
        give_slot(pool, released);
    }
}

size_t toft_quarantine_count(const toft_pool *pool, unsigned size_class) {
    size_t count = 0;
    for (unsigned i = 0; i < TOFT_QUARANTINE_PLACES; i++) {
        const void *slot = pool->quarantine.slots[i];
        if (slot != NULL && toft_span_of(slot)->size_class == size_class) count++;
    }
    return count;
}

/* A live object of the span begins there. */
static void check_place(toft_pool *pool, const toft_span *span, const void *object) {
    if (span->units == 0) toft_pool_misuse(pool, object, "freed twice, or never allocated");
    size_t slot_bytes = toft_slot_bytes(span->size_class);
    uintptr_t offset = (uintptr_t)object - (uintptr_t)span->start;
    if (offset % slot_bytes != 0 || offset / slot_bytes >= span->slots)
        toft_pool_misuse(pool, object, "freed, but it isn't where an object begins");
    if (toft_track_is_free(object))
        toft_pool_misuse(pool, object, "freed twice, or never allocated");
}

static void check_object(toft_pool *pool, const toft_span *span, void *object, unsigned size_class,
                         size_t size) {
    check_place(pool, span, object);
    size_t allocated_bytes = toft_track_read_word(record_in(object, span->size_class));
    if (allocated_bytes != size)
        toft_pool_misuse_of_size(pool, object, (toft_freed_as){TOFT_NAMED_SIZE, size, 0},
                                 (toft_place){.bytes = allocated_bytes});
    if (!has_class(size_class, size) || tracked_class(size_class, size) != span->size_class)
        toft_pool_misuse(pool, object, "freed with another alignment than it was allocated with");
}

static void give(toft_pool *pool, const toft_span *span, void *object) {
    toft_track_free(object, toft_slot_bytes(span->size_class));
    put_in_quarantine(pool, object);
}

void toft_tracked_give(toft_pool *pool, void *object, unsigned size_class, size_t size) {
    const toft_span *span = find_span(pool, object);
    if (span == NULL && !has_class(size_class, size)) {
        toft_pool_free_large(&pool->none, object, size, toft_slot_alignment(size_class));
        return;
    }
    if (span == NULL) toft_pool_misuse(pool, object, "freed to a pool that it is not of");
    check_object(pool, span, object, size_class, size);
    give(pool, span, object);
}

void toft_tracked_give_any(toft_pool *pool, void *object) {
    const toft_span *span = find_span(pool, object);
    if (span == NULL) toft_pool_misuse(pool, object, "freed to a pool that it is not of");
    check_place(pool, span, object);
    give(pool, span, object);
}

size_t toft_tracked_size(const void *object) {
    void *slot = (void *)(uintptr_t)object;
    return toft_track_read_word(record_in(slot, toft_span_of(object)->size_class));
}
