/* SPDX-License-Identifier: MIT */
/* Slots on their way between spans and whoever needs them one by one. */
#include "pool/slots.h"

#include "base/check.h"
#include "base/list.h"
#include "os/tracking.h"
#include "pool/map.h"

/* The depot's lock is held. */
static bool is_sound(const toft_pool *pool, unsigned size_class) {
    const toft_span *spans = pool->depots[size_class].spans;
    return spans == NULL || (spans->prev == NULL && !spans->owned);
}

/* A span with free slots that is in no list; NULL where the class has none. */
static toft_span *take_span(toft_pool *pool, unsigned size_class) {
    toft_depot *depot = &pool->depots[size_class];
    toft_span *span = depot->spans;
    if (span != NULL)
        TOFT_LIST_REMOVE(depot->spans, span);
    else if (depot->shape.units == 0)
        depot->shape = toft_span_shape_of(size_class);
    return span;
}

/* The depot's lock is held; relaxed, for who reads it without. */
static inline void count_taken(toft_pool *pool, unsigned size_class, size_t more) {
    size_t *taken_slots = &pool->depots[size_class].taken_slots;
    __atomic_store_n(taken_slots, *taken_slots + more, __ATOMIC_RELAXED);
}

static void put_span_back(toft_pool *pool, toft_span *span) {
    if (toft_span_is_empty(span))
        toft_heap_give(pool, span);
    else if (span->free_slots != 0)
        TOFT_LIST_PUSH(pool->depots[span->size_class].spans, span);
}

static unsigned take_shared(toft_pool *pool, unsigned size_class, unsigned count, void **base) {
    unsigned taken = 0;
    while (taken < count) {
        toft_span *span = take_span(pool, size_class);
        if (span == NULL) break;
        taken += toft_span_take(span, count - taken, base + taken);
        put_span_back(pool, span);
    }
    return taken;
}

static unsigned take_own(toft_pool *pool, unsigned size_class, toft_bin *bin, unsigned count,
                         void **base) {
    if (bin->span == NULL) bin->span = take_span(pool, size_class);
    if (bin->span == NULL) return 0;
    unsigned taken = toft_span_take(bin->span, count, base);
    bin->span->owned = bin->span->free_slots != 0;
    if (!bin->span->owned) bin->span = NULL;
    return taken;
}

/* A span that had no free slot goes into the list of those that have some, and an empty one to the
   heap; but not one that a cache owns. */
static void put_span_where_it_belongs(toft_pool *pool, toft_span *span, bool listed) {
    toft_depot *depot = &pool->depots[span->size_class];
    if (span->owned) return;
    if (!toft_span_is_empty(span)) {
        TOFT_LIST_PUSH(depot->spans, span);
        return;
    }
    if (listed) TOFT_LIST_REMOVE(depot->spans, span);
    toft_heap_give(pool, span);
}

/* The span that a slot comes back to; NULL where something is wrong. */
static inline toft_span *span_of_its_pool(const toft_pool *pool, const void *slot,
                                          unsigned size_class) {
    toft_span *span = toft_span_of(slot);
    if (TOFT_UNLIKELY(span == NULL)) return NULL;
    bool is_its = span->size_class == size_class && span->pool_tag == (uint16_t)pool->id &&
                  toft_span_contains(span, slot);
    return TOFT_LIKELY(is_its) ? span : NULL;
}

/* Looks into the map first, which knows any address: a segment's memory may be another's by now. */
static TOFT_COLD void note_fault(toft_pool *pool, const void *slot, unsigned size_class) {
    int class_there = toft_map_class(slot);
    if (class_there < 0 && !toft_map_has_large(slot))
        toft_pool_note_misuse(pool, slot, "freed twice, or never allocated");
    else if (class_there != (int)size_class)
        toft_pool_note_wrong_size(pool, slot, size_class);
    else if (toft_segment_of(slot)->pool != pool)
        toft_pool_note_misuse(pool, slot, "freed to a pool that it is not of");
    else
        toft_pool_note_misuse(pool, slot, "freed, but never allocated");
}

/* Some programs free malloc's objects by C++'s delete, which knows their size, and other mallocs
   bear it. Under the drop-in, one that was borrowed comes here so, where its span's depot isn't
   locked: it is lost. */
static bool may_be_borrowed(const toft_pool *pool, const void *slot, unsigned size_class) {
#if defined(TOFT_DROPIN)
    return pool == toft_pool_shared() && toft_map_class(slot) == (int)toft_lender_of(size_class) &&
           toft_segment_of(slot)->pool == pool;
#else
    (void)pool, (void)slot, (void)size_class;
    return false;
#endif
}

/* Gives the slots from *top down back to their span, as long as they lie in it, and adds to *given
   how many. Returns the top of the rest. A word of bits is read and written once for neighbours,
   which most slots of most magazines are. */
static inline void **give_neighbours(toft_pool *pool, toft_span *span, void **top, size_t *given) {
    TOFT_ASSERT(toft_span_is_sound(span));
    uintptr_t start = (uintptr_t)span->start, bytes = toft_span_bytes(span);
    unsigned index = toft_span_slot_index(span, *top), free_before = span->free_slots;
    do {
        unsigned word = index / 64, count = 0;
        uint64_t bits = span->free_bits[word];
        do {
            uint64_t bit = (uint64_t)1 << index % 64;
            if (TOFT_UNLIKELY((bits & bit) != 0))
                toft_pool_note_misuse(pool, *top, "freed twice");
            else
                count++;
            bits |= bit;
            index = toft_span_slot_index(span, *--top);
        } while ((uintptr_t)*top - start < bytes && index / 64 == word);
        if (TOFT_LIKELY(count != 0)) toft_span_give(span, word, bits, count);
    } while ((uintptr_t)*top - start < bytes);
    TOFT_ASSERT(toft_span_is_sound(span));
    if (TOFT_UNLIKELY(span->free_slots == free_before)) return top;
    *given += span->free_slots - free_before;
    if (TOFT_UNLIKELY(free_before == 0 || toft_span_is_empty(span)))
        put_span_where_it_belongs(pool, span, free_before != 0);
    return top;
}

void toft_slots_give(toft_pool *pool, void **top, unsigned size_class) {
    size_t given = 0;
    while (*top != NULL) {
        toft_span *span = span_of_its_pool(pool, *top, size_class);
        if (TOFT_LIKELY(span != NULL)) {
            top = give_neighbours(pool, span, top, &given);
            continue;
        }
        if (!may_be_borrowed(pool, *top, size_class)) note_fault(pool, *top, size_class);
        top--;
    }
    TOFT_ASSERT(pool->depots[size_class].taken_slots >= given);
    TOFT_ASSERT(is_sound(pool, size_class));
    count_taken(pool, size_class, -given);
}

void toft_slots_disown(toft_pool *pool, toft_bin *bin) {
    if (bin->span == NULL) return;
    bin->span->owned = false;
    put_span_back(pool, bin->span);
    bin->span = NULL;
}

/* --- with no lock held --- */

/* A class that has filled two spans will fill most of the next one too. Slots beyond a page may be
   objects of which little is ever touched. */
static bool wants_all_pages(const toft_pool *pool, unsigned size_class) {
    const toft_depot *depot = &pool->depots[size_class];
    size_t taken_slots = __atomic_load_n(&depot->taken_slots, __ATOMIC_RELAXED);
    return toft_heap_from_system(&pool->heap) && taken_slots >= 2U * depot->shape.slots &&
           toft_slot_bytes(size_class) <= toft_os_page_bytes();
}

static toft_span *take_from_heap(toft_pool *pool, unsigned size_class, toft_growth growth,
                                 bool *untouched) {
    const toft_span_shape *shape = &pool->depots[size_class].shape;
    toft_span *span = toft_heap_take(pool, shape, toft_no_growth, untouched);
    if (span != NULL || growth == toft_no_growth) return span;
    toft_large_hand_over(pool);
    return toft_heap_take(pool, shape, toft_may_grow, untouched);
}

/* A process that is forked before it is added to the class's may lose it. */
static toft_span *new_span(toft_pool *pool, unsigned size_class, toft_growth growth) {
    bool untouched = false;
    toft_span *span = take_from_heap(pool, size_class, growth, &untouched);
    /* In one call, which takes three quarters of the time of a page fault for each. */
    if (span != NULL && untouched && wants_all_pages(pool, size_class))
        toft_os_populate(span->start, toft_span_bytes(span));
    return span;
}

/* Some of a new span is taken before the depot is unlocked: one that nobody has taken from would
   stay among the class's for ever. */
unsigned toft_slots_take(toft_pool *pool, unsigned size_class, toft_bin *own, unsigned count,
                         void **base, toft_growth growth) {
    unsigned taken = 0, enough = own != NULL ? 1 : count;
    toft_span *added = NULL;
    do {
        toft_depot_lock(pool, size_class);
        if (added != NULL) TOFT_LIST_PUSH(pool->depots[size_class].spans, added);
        unsigned more = own != NULL ? take_own(pool, size_class, own, count, base)
                                    : take_shared(pool, size_class, count - taken, base + taken);
        count_taken(pool, size_class, more);
        TOFT_ASSERT(is_sound(pool, size_class));
        toft_depot_unlock(pool, size_class);
        taken += more;
    } while (taken < enough && (added = new_span(pool, size_class, growth)) != NULL);
    return taken;
}

void *toft_slot_take(toft_pool *pool, unsigned size_class) {
    void *place[2];
    unsigned taken = toft_slots_take(pool, size_class, NULL, 1, place, toft_may_grow);
    return taken == 0 ? NULL : place[1];
}

void toft_slot_give(toft_pool *pool, void *slot, unsigned size_class) {
    void *place[2] = {NULL, slot};
    toft_depot_lock(pool, size_class);
    toft_slots_give(pool, &place[1], size_class);
    toft_depot_unlock(pool, size_class);
}

void *toft_record_take(toft_pool *pool, unsigned size_class) {
    void *record = toft_slot_take(pool, size_class);
    if (record == NULL) return NULL;
    __atomic_fetch_add(&pool->depots[size_class].internal_slots, 1, __ATOMIC_RELAXED);
    if (toft_tracking()) toft_track_allocated(record, toft_slot_bytes(size_class));
    return record;
}

void toft_record_give(toft_pool *pool, void *record, unsigned size_class) {
    __atomic_fetch_sub(&pool->depots[size_class].internal_slots, 1, __ATOMIC_RELAXED);
    toft_slot_give(pool, record, size_class);
}
