/* SPDX-License-Identifier: MIT */
/* A reap that can take no more memory, mostly since it is at its limit. Its free slots serve all
 * sizes from then on, and free neighbours together. Other reaps grow before they do that, since it
 * takes time for each free slot.
 *
 * The bits of the holes say what is free. A hole says how long it is, at both its ends, and one of
 * four words or more is in a list with others of about its size:
 *
 *     | object | bytes | next | link |      ...      | bytes | object |
 *
 * So a freed slot finds its free neighbours, and an object a hole, in constant time. What is freed
 * goes to the lists of its class as ever, and becomes a hole when an allocation finds none.
 *
 * The bits need memory themselves, so that a reap which has taken half of its limit makes them
 * while there is some. */
#include "reap/order.h"

/* The bits and the books would take too much of a smaller limit. */
#define LEAST_LIMIT_BYTES ((size_t)64 << 10)

#define WORD sizeof(uintptr_t)
#define LISTED_BYTES (4 * WORD)

/* Holes that an object may not fit into, for its alignment, before those of the next list. */
#define TRIED_HOLES 16

void toft_reap_prepare_to_be_full(toft_reap *reap) {
    toft_arena *arena = &reap->arena;
    if (arena->limit_bytes < LEAST_LIMIT_BYTES || reap->savepoint != NULL) return;
    if (toft_arena_ledger(arena)->reserved_bytes <= arena->limit_bytes / 2) return;
    if (toft_reap_has_order(reap)) (void)toft_holes_cover(&reap->order->holes, arena);
}

/* What lies there was of another type before. */
static uintptr_t read_word(uintptr_t address) {
    uintptr_t word;
    memcpy(&word, (const void *)address, sizeof word);
    return word;
}

static void write_word(uintptr_t address, uintptr_t word) {
    memcpy((void *)address, &word, sizeof word);
}

static uintptr_t next_of(uintptr_t hole) { return read_word(hole + WORD); }

/* The class of the largest slot that a hole has room for, of those without a strong alignment. */
static unsigned list_of(size_t bytes) {
    unsigned size_class = toft_reap_class(toft_min(bytes, TOFT_REAP_SLOT_MAX), TOFT_HOLE_GRANULE);
    return toft_reap_slot_bytes(size_class) > bytes ? size_class - 1 : size_class;
}

/* The word that leads to a list's first hole. A full reap has no bundles. */
static uintptr_t head_of(toft_reap_order *order, unsigned list) {
    return (uintptr_t)&order->bundle[list];
}

static void enlist(toft_reap_order *order, uintptr_t hole, size_t bytes) {
    if (bytes == 0) return;
    write_word(hole, bytes);
    write_word(hole + bytes - WORD, bytes);
    if (bytes < LISTED_BYTES) return;
    uintptr_t head = head_of(order, list_of(bytes)), next = read_word(head);
    write_word(hole + WORD, next);
    write_word(hole + 2 * WORD, head);
    write_word(head, hole);
    if (next != 0) write_word(next + 2 * WORD, hole + WORD);
}

static void delist(uintptr_t hole) {
    if (read_word(hole) < LISTED_BYTES) return;
    uintptr_t next = next_of(hole), link = read_word(hole + 2 * WORD);
    write_word(link, next);
    if (next != 0) write_word(next + 2 * WORD, link);
}

static bool is_free(const toft_hole_map *map, uintptr_t address) {
    size_t granule = (address - map->begin) / TOFT_HOLE_GRANULE;
    return address >= map->begin && granule < map->granules &&
           (map->bits[granule / 64] >> granule % 64 & 1) != 0;
}

/* The slot isn't free yet by the bits. */
static void add(toft_reap *reap, toft_reap_slot *slot, unsigned size_class) {
    const toft_hole_map *map = toft_reap_make_hole(reap, slot, size_class);
    uintptr_t begin = (uintptr_t)slot, end = begin + toft_reap_slot_bytes(size_class);
    if (is_free(map, begin - WORD)) {
        begin -= read_word(begin - WORD);
        delist(begin);
    }
    if (is_free(map, end)) {
        delist(end);
        end += read_word(end);
    }
    enlist(reap->order, begin, end - begin);
}

/* False where there were no slots in the lists. */
static bool add_all(toft_reap *reap) {
    bool any = false;
    for (unsigned size_class = 0; size_class < TOFT_REAP_CLASSES; size_class++) {
        for (toft_reap_slot *slot = reap->free[size_class], *next; slot != NULL; slot = next) {
            next = toft_reap_next(slot);
            add(reap, slot, size_class);
            any = true;
        }
        reap->free[size_class] = NULL;
    }
    return any;
}

/* False where there is no memory for the bits. */
static bool has_begun(toft_reap *reap) {
    if (!toft_reap_has_order(reap)) return false;
    toft_reap_order *order = reap->order;
    if (order->full) return true;
    if (!toft_holes_cover(&order->holes, &reap->arena)) return false;
    toft_reap_make_holes(reap); /* of the bundles */
    order->full = true;
    toft_hole hole;
    toft_holes_begin_search(&order->holes);
    while (toft_holes_search_slow(&order->holes, SIZE_MAX, &hole)) {
        enlist(order, hole.address, hole.bytes);
        toft_holes_skip(&order->holes, &hole);
    }
    toft_reap_set_floor(reap, 1);
    toft_reap_settle_end(reap);
    return true;
}

static void *take_of(toft_reap_order *order, uintptr_t hole, uintptr_t begin, size_t bytes) {
    toft_hole_map *map = toft_holes_find(&order->holes, hole);
    uintptr_t end = hole + read_word(hole);
    delist(hole);
    toft_holes_take_slow(map, (begin - map->begin) / TOFT_HOLE_GRANULE, bytes / TOFT_HOLE_GRANULE);
    enlist(order, hole, begin - hole);
    enlist(order, begin + bytes, end - (begin + bytes));
    return (void *)begin;
}

static void *take(toft_reap_order *order, unsigned size_class) {
    size_t bytes = toft_reap_slot_bytes(size_class);
    size_t alignment = toft_reap_slot_alignment(size_class);
    for (unsigned list = list_of(bytes); list <= list_of(TOFT_REAP_SLOT_MAX); list++) {
        uintptr_t hole = read_word(head_of(order, list));
        for (unsigned i = 0; hole != 0 && i < TRIED_HOLES; i++, hole = next_of(hole)) {
            uintptr_t begin = toft_align_up(hole, alignment);
            if (begin + bytes <= hole + read_word(hole)) return take_of(order, hole, begin, bytes);
        }
    }
    return NULL;
}

void *toft_reap_take_of_full(toft_reap *reap, unsigned size_class) {
    if (reap->savepoint != NULL || !has_begun(reap)) return NULL;
    void *slot = take(reap->order, size_class);
    if (slot == NULL && toft_holes_cover(&reap->order->holes, &reap->arena) && add_all(reap))
        slot = take(reap->order, size_class);
    return slot;
}
