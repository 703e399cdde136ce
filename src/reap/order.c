/* SPDX-License-Identifier: MIT */
/* Reuse in the order of memory. A free list gives slots in the order of freeing, backwards. What is
 * made in a row then lies scattered over all that was ever freed. So a large reap of small objects
 * keeps its lists short:
 *
 *     free list  --more than a few freed-->  bundles  --needed again-->  holes
 *         ^                                     |                          |
 *         +---- a bundle that is in order ------+                          |
 *         +---- a run of neighbours ---------------------------------------+
 *
 * Whenever so many more objects were freed than allocated, each list is put aside as a bundle. That
 * costs nothing for each slot, and most reaps are renewed before they need one again. When a list
 * is empty, a bundle of its class becomes the list, if its slots lie in a row anyway. Else all
 * bundles become holes. From there a list is filled with a run of neighbours: a short one at first,
 * then longer ones.
 *
 * A reap that needed holes once makes them at once from then on, while the slots freed last are
 * still in a cache. But not one at each free: that takes so many instructions that a processor no
 * longer sees the next object that the program reads, whose memory it would else fetch meanwhile.
 *
 * While there are bundles or holes, the arena's end is hidden from the inlined path, since that
 * would extend the reap. Out of memory for the books, bundles are handed out in any order. */
#include "reap/order.h"

/* A reap of fewer bytes is near to a core's cache, where the order of memory matters little; with
   larger objects on average, neighbours have little to do with each other. */
#define ORDERED_BYTES ((size_t)4 << 20)
#define ORDERED_MEAN_BYTES ((size_t)192)

/* So many objects in lists are near enough to their time of use to be in a cache. */
#define LIST_OBJECTS 1024

/* A share of the live ones, so that a search of all the holes is little beside their frees. */
#define LIST_SHARE 64

/* What a list gets of the holes at a time: at first, and doubled so often at most. */
#define RUN_BYTES ((size_t)1024)
#define RUN_DOUBLED_MAX 6

/* New memory that is used between two looks at the number of objects. */
#define WINDOW_BYTES ((size_t)64 << 10)

/* --- bundles --- */

/* The second word of a bundle's first slot: the next bundle of the class. */
static toft_reap_slot **next_bundle(toft_reap_slot *bundle) {
    return (toft_reap_slot **)(void *)bundle + 1;
}

static void push_bundle(toft_reap_order *order, toft_reap_slot *slots, unsigned size_class) {
    memcpy(next_bundle(slots), &order->bundle[size_class], sizeof slots);
    order->bundle[size_class] = slots;
    order->bundles++;
}

static toft_reap_slot *pop_bundle(toft_reap_order *order, unsigned size_class) {
    toft_reap_slot *popped = order->bundle[size_class];
    if (popped == NULL) return NULL;
    memcpy(&order->bundle[size_class], next_bundle(popped), sizeof popped);
    order->bundles--;
    return popped;
}

void toft_reap_put_bundles_back(toft_reap *reap) {
    for (unsigned size_class = 0; size_class < TOFT_REAP_CLASSES; size_class++) {
        toft_reap_slot *slot;
        while ((slot = pop_bundle(reap->order, size_class)) != NULL) {
            for (toft_reap_slot *next; slot != NULL; slot = next) {
                next = toft_reap_next(slot);
                toft_reap_set_next(slot, reap->free[size_class]);
                reap->free[size_class] = slot;
            }
        }
    }
}

/* Whether a bundle's first slots lie in a row, upwards or downwards. */
static bool is_in_order(const toft_reap_slot *bundle) {
    enum { looked_at = 8 };
    const uintptr_t near_bytes = 4096;
    unsigned up = 0, down = 0, i = 0;
    for (const toft_reap_slot *next; i < looked_at; i++, bundle = next) {
        next = toft_reap_next(bundle);
        if (next == NULL) break;
        up += (uintptr_t)next - (uintptr_t)bundle < near_bytes;
        down += (uintptr_t)bundle - (uintptr_t)next < near_bytes;
    }
    return up == i || down == i;
}

/* --- from bundles to holes --- */

typedef struct list {
    toft_reap_slot *slots;
    unsigned size_class;
} list;

toft_hole_map *toft_reap_make_hole(toft_reap *reap, toft_reap_slot *slot, unsigned size_class) {
    toft_hole_map *map = toft_holes_find(&reap->order->holes, (uintptr_t)slot);
    if (TOFT_UNLIKELY(map == NULL)) toft_misuse(slot, TOFT_REAP_ANOTHERS);
    size_t bytes = toft_reap_slot_bytes(size_class);
    bool was_used = TOFT_LIKELY(bytes <= TOFT_HOLES_ADD_MAX_BYTES)
                        ? toft_holes_add(map, (uintptr_t)slot, bytes)
                        : toft_holes_add_any(map, (uintptr_t)slot, bytes);
    if (TOFT_UNLIKELY(!was_used)) toft_misuse(slot, "freed to a reap twice, or with another size");
    return map;
}

/* Several lists in turn: while a slot of one comes to the cache, others are there. */
static void make_holes_of(toft_reap *reap, list *lists, size_t count) {
    const size_t most_at_once = 8;
    for (size_t at_once; count != 0;) {
        at_once = toft_min(count, most_at_once);
        for (size_t i = 0; i < at_once; i++) {
            toft_reap_slot *slot = lists[i].slots;
            lists[i].slots = toft_reap_next(slot);
            __builtin_prefetch(lists[i].slots);
            toft_reap_make_hole(reap, slot, lists[i].size_class);
            if (lists[i].slots == NULL) {
                lists[i] = lists[--count];
                at_once = toft_min(count, at_once);
            }
        }
    }
    reap->order->added = true;
    reap->order->eager = true;
}

static void make_holes(toft_reap *reap) {
    toft_reap_order *order = reap->order;
    list lists[64];
    const size_t most = sizeof lists / sizeof *lists;
    for (unsigned size_class = 0; order->bundles != 0;) {
        size_t count = 0;
        while (count != most && order->bundles != 0) {
            toft_reap_slot *slots = pop_bundle(order, size_class);
            if (slots == NULL)
                size_class++;
            else
                lists[count++] = (list){slots, size_class};
        }
        make_holes_of(reap, lists, count);
    }
}

/* A list without the slot freed last, which stays, so that freeing it again is found. NULL where
   there are no others, or they are too small for a bundle's links. */
static toft_reap_slot *take_all_but_last(toft_reap *reap, unsigned size_class) {
    toft_reap_slot *last = reap->free[size_class];
    if (last == NULL || toft_reap_slot_bytes(size_class) < TOFT_REAP_ORDERED_MIN) return NULL;
    toft_reap_slot *others = toft_reap_next(last);
    toft_reap_set_next(last, NULL);
    return others;
}

static void put_lists_aside(toft_reap *reap) {
    toft_reap_order *order = reap->order;
    bool eager = order->eager && toft_holes_cover(&order->holes, &reap->arena);
    list lists[TOFT_REAP_CLASSES];
    size_t count = 0;
    for (unsigned size_class = 0; size_class < TOFT_REAP_CLASSES; size_class++) {
        if (!toft_reap_is_ordered(size_class)) continue;
        toft_reap_slot *others = take_all_but_last(reap, size_class);
        if (others == NULL) continue;
        if (eager && !is_in_order(others))
            lists[count++] = (list){others, size_class};
        else
            push_bundle(order, others, size_class);
    }
    if (count != 0) make_holes_of(reap, lists, count);
    memset(order->run_doubled, 0, sizeof order->run_doubled);
}

/* --- from holes to lists --- */

/* The largest slot that lies at a hole's begin goes to its list: its class needn't search. A hole
   of one granule waits to be part of a larger one. */
static void keep_small_hole(toft_reap *reap, const toft_hole *hole) {
    toft_holes *holes = &reap->order->holes;
    size_t bytes = toft_min(hole->bytes, TOFT_REAP_ORDERED_MAX);
    if (hole->address % 16 != 0) bytes = toft_min(bytes, 128 - 8);
    if (hole->address % 16 != 0 && bytes % 16 == 0) bytes -= 8;
    unsigned size_class = toft_reap_class_within(bytes);
    if (!toft_reap_is_ordered(size_class)) {
        toft_holes_skip(holes, hole);
        return;
    }
    toft_reap_slot *slot = (void *)hole->address;
    toft_holes_take(holes, hole->address, toft_reap_slot_bytes(size_class));
    toft_reap_set_next(slot, reap->free[size_class]);
    reap->free[size_class] = slot;
}

static toft_reap_slot *take_run(toft_reap *reap, unsigned size_class) {
    toft_holes *holes = &reap->order->holes;
    size_t bytes = toft_reap_slot_bytes(size_class);
    size_t alignment = toft_reap_slot_alignment(size_class);
    unsigned char *doubled = &reap->order->run_doubled[size_class];
    size_t left = toft_max((RUN_BYTES << *doubled) / bytes, 1);
    if (*doubled < RUN_DOUBLED_MAX) ++*doubled;
    toft_reap_slot *first = NULL, *last = NULL;
    toft_hole hole;
    while (left != 0 && toft_holes_search(holes, left * bytes + alignment, &hole)) {
        uintptr_t begin = toft_align_up(hole.address, alignment);
        uintptr_t end = hole.address + hole.bytes;
        if (end < begin + bytes) {
            if (toft_reap_is_ordered(size_class))
                keep_small_hole(reap, &hole);
            else
                toft_holes_skip(holes, &hole);
            continue;
        }
        size_t count = toft_min(left, (end - begin) / bytes);
        toft_holes_take(holes, begin, count * bytes);
        left -= count;
        for (; count != 0; count--, begin += bytes) {
            toft_reap_slot *slot = (void *)begin;
            if (last == NULL)
                first = slot;
            else
                toft_reap_set_next(last, slot);
            last = slot;
        }
    }
    if (last != NULL) toft_reap_set_next(last, NULL);
    return first;
}

/* --- for the slow paths --- */

static bool has_more(const toft_reap_order *order) {
    return order != NULL && !order->full &&
           (order->bundles != 0 || order->added || !order->holes.exhausted);
}

static bool is_beyond_cache(const toft_reap *reap) {
    return toft_arena_used_bytes(&reap->arena) >= ORDERED_BYTES;
}

void toft_reap_settle_end(toft_reap *reap) {
    toft_arena *arena = &reap->arena;
    toft_reap_order *order = reap->order;
    if (reap->floor == 0 || toft_tracking()) return;
    char *end = toft_arena_current(arena)->end;
    arena->end = end;
    if (reap->savepoint != NULL) return;
    if (has_more(order))
        arena->end = NULL;
    else if (is_beyond_cache(reap) && (size_t)(end - arena->cur) > WINDOW_BYTES)
        arena->end = arena->cur + WINDOW_BYTES;
}

void toft_reap_raise_floor(toft_reap *reap) {
    if (reap->floor == 0 || reap->savepoint != NULL || !is_beyond_cache(reap)) return;
    if (toft_reap_is_full(reap)) return;
    ptrdiff_t live = toft_reap_live(reap);
    ptrdiff_t most = LIST_OBJECTS;
    if (live / LIST_SHARE > most) most = live / LIST_SHARE;
    if (live - most <= reap->floor) return;
    bool eager = reap->order != NULL && reap->order->eager;
    if (!eager && toft_arena_used_bytes(&reap->arena) / ORDERED_MEAN_BYTES > (size_t)live) return;
    toft_reap_set_floor(reap, live - most);
}

bool toft_reap_has_order(toft_reap *reap) {
    if (reap->order != NULL) return true;
    toft_holes holes = {.exhausted = true};
    toft_reap_order *order = toft_holes_take_own(&holes, &reap->arena, sizeof *order);
    if (order == NULL) return false;
    *order = (toft_reap_order){.holes = holes};
    reap->order = order;
    return true;
}

void toft_reap_order_lists(toft_reap *reap) {
    ptrdiff_t floor = reap->floor;
    if (floor != 0) toft_reap_set_floor(reap, 1);
    if (floor <= 1 || reap->savepoint != NULL || !toft_reap_has_order(reap)) return;
    put_lists_aside(reap);
    toft_reap_settle_end(reap);
    ptrdiff_t live = toft_reap_live(reap);
    if (live > LIST_OBJECTS) toft_reap_set_floor(reap, live - LIST_OBJECTS);
}

/* For large slots the search has passed over holes that others may use. */
static void end_gathered_search(toft_reap_order *order, unsigned size_class) {
    order->gathered = false;
    if (!toft_reap_is_ordered(size_class)) order->added = true;
}

void *toft_reap_take_in_order(toft_reap *reap, unsigned size_class) {
    toft_reap_order *order = reap->order;
    if (reap->savepoint != NULL || !has_more(order)) return NULL;
    if (!order->gathered && !toft_reap_is_ordered(size_class)) return NULL;
    toft_reap_slot *slots = order->bundle[size_class];
    bool whole = slots != NULL && is_in_order(slots);
    if (!whole && order->bundles != 0) {
        if (toft_holes_cover(&order->holes, &reap->arena))
            make_holes(reap);
        else
            whole = true; /* out of memory, in any order */
        toft_reap_settle_end(reap);
    }
    slots = whole ? pop_bundle(order, size_class) : take_run(reap, size_class);
    if (slots == NULL && order->added) {
        order->added = false;
        toft_holes_begin_search(&order->holes);
        slots = take_run(reap, size_class);
    }
    if (slots != NULL)
        reap->free[size_class] = toft_reap_next(slots);
    else if (order->gathered)
        end_gathered_search(order, size_class);
    return slots;
}

/* --- before new memory is used --- */

/* Free slots serve another class only as holes. Without this, a reap whose sizes change would come
   to hold the most that each class has had, all at once. It takes time for each free slot, so it is
   tried only after some growth since the last time. */
static bool should_gather(const toft_reap *reap) {
    return reap->floor != 0 && reap->savepoint == NULL && is_beyond_cache(reap) &&
           !toft_reap_is_full(reap) && toft_arena_used_bytes(&reap->arena) >= reap->gather_at_bytes;
}

/* Whether so many bytes may be free. What bundles have isn't known before they are holes. */
static bool may_have_free(const toft_reap *reap, size_t bytes) {
    const toft_reap_order *order = reap->order;
    if (order != NULL && order->bundles != 0) return true;
    size_t free_bytes = order == NULL ? 0 : toft_holes_bytes(&order->holes);
    for (unsigned size_class = 0; size_class < TOFT_REAP_CLASSES; size_class++)
        for (const toft_reap_slot *slot = reap->free[size_class];
             slot != NULL && free_bytes < bytes; slot = toft_reap_next(slot))
            free_bytes += toft_reap_slot_bytes(size_class);
    return free_bytes >= bytes;
}

void *toft_reap_take_gathered(toft_reap *reap, unsigned size_class) {
    if (!should_gather(reap)) return NULL;
    size_t used_bytes = toft_arena_used_bytes(&reap->arena);
    reap->gather_at_bytes = used_bytes + used_bytes / 4;
    if (!may_have_free(reap, used_bytes / 4) || !toft_reap_has_order(reap)) return NULL;
    toft_reap_order *order = reap->order;
    if (!toft_holes_cover(&order->holes, &reap->arena)) return NULL;
    for (unsigned i = 0; i < TOFT_REAP_CLASSES; i++) {
        toft_reap_slot *others = take_all_but_last(reap, i);
        if (others != NULL) push_bundle(order, others, i);
    }
    make_holes(reap);
    order->gathered = toft_holes_bytes(&order->holes) >= used_bytes / 4;
    void *slot = toft_reap_take_in_order(reap, size_class);
    toft_reap_settle_end(reap);
    if (slot != NULL && order->gathered) reap->gather_at_bytes = used_bytes + used_bytes / 32;
    return slot;
}

size_t toft_reap_ordered_bytes(const toft_reap *reap) {
    const toft_reap_order *order = reap->order;
    if (order == NULL) return 0;
    size_t free_bytes = toft_holes_bytes(&order->holes);
    for (unsigned size_class = 0; size_class < TOFT_REAP_CLASSES; size_class++)
        for (toft_reap_slot *bundle = order->bundle[size_class]; bundle != NULL;
             memcpy(&bundle, next_bundle(bundle), sizeof bundle))
            for (const toft_reap_slot *slot = bundle; slot != NULL; slot = toft_reap_next(slot))
                free_bytes += toft_reap_slot_bytes(size_class);
    return free_bytes;
}
