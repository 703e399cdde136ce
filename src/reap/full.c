/* SPDX-License-Identifier: MIT */
/* A reap that can take no more memory, mostly since it is at its limit. Its free slots serve all
 * sizes from then on, and free neighbours together. Other reaps grow before they do that, since it
 * takes time for each free slot.
 *
 * The bits of holes.h say what is free. A hole of two words or more is in a list with others of
 * about its size, and one of four words or more says how long it is, at both its ends:
 *
 *     | object | next | link | bytes |      ...      | bytes | object |
 *
 * So a freed slot finds its free neighbours, and an object a hole, in constant time. What is freed
 * goes to the lists of its class as ever, and becomes a hole when an allocation finds none.
 *
 * The bits need memory themselves, so that a reap which has taken half of its limit makes them
 * while there is some. A chunk that has none for them keeps its slots in the lists of their
 * classes. */
#include "reap/order.h"

/* The bits and the books would take too much of a smaller limit. */
#define LEAST_LIMIT_BYTES ((size_t)64 << 10)

#define WORD sizeof(uintptr_t)
#define LISTED_BYTES (2 * WORD)
#define TOLD_GRANULES (4 * WORD / TOFT_HOLE_GRANULE) /* a hole of so many says how long it is */

/* So many holes of a list are tried for an alignment beyond 16, before those of the next list. */
#define TRIED_HOLES 16

/* Where chunks are kept behind the current one, the slow path comes here again. */
void toft_reap_prepare_to_be_full(toft_reap *reap) {
    toft_arena *arena = &reap->arena;
    if (arena->limit_bytes < LEAST_LIMIT_BYTES || arena->first == NULL) return;
    if (reap->savepoint != NULL || toft_tracking()) return;
    toft_arena_enter(arena);
    if (toft_arena_current(arena)->next != NULL) return;
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

static uintptr_t next_of(uintptr_t hole) { return read_word(hole); }

/* --- how long a hole is --- */

/* A hole ends where its map's objects begin no more, though the last object may go on. */
static bool is_free(const toft_hole_map *map, uintptr_t address) {
    size_t granule = (address - map->begin) / TOFT_HOLE_GRANULE;
    return address - map->begin < map->bytes && (map->bits[granule / 64] >> granule % 64 & 1) != 0;
}

static size_t bytes_from(const toft_hole_map *map, uintptr_t begin) {
    size_t granules = 0;
    while (granules < TOLD_GRANULES && is_free(map, begin + granules * TOFT_HOLE_GRANULE))
        granules++;
    return granules < TOLD_GRANULES ? granules * TOFT_HOLE_GRANULE : read_word(begin + 2 * WORD);
}

static size_t bytes_before(const toft_hole_map *map, uintptr_t end) {
    size_t granules = 0;
    while (granules < TOLD_GRANULES && is_free(map, end - (granules + 1) * TOFT_HOLE_GRANULE))
        granules++;
    return granules < TOLD_GRANULES ? granules * TOFT_HOLE_GRANULE : read_word(end - WORD);
}

/* --- the lists --- */

/* A hole's list is that of the largest slot which it has room for, of those without a strong
   alignment: so it has room for each smaller one. A multiple of 16 bytes is aligned so. */
static unsigned list_of(uintptr_t hole, size_t bytes) {
    bool is_odd = hole % 16 != 0;
    size_t most_bytes = is_odd && (bytes % 16 == 0 || bytes > 120) ? bytes - 8 : bytes;
    return toft_reap_class_within(most_bytes);
}

static void enlist(toft_reap_order *order, uintptr_t hole, size_t bytes) {
    if (bytes >= TOLD_GRANULES * TOFT_HOLE_GRANULE) {
        write_word(hole + 2 * WORD, bytes);
        write_word(hole + bytes - WORD, bytes);
    }
    if (bytes < LISTED_BYTES) return;
    unsigned list = list_of(hole, bytes);
    uintptr_t head = (uintptr_t)&order->hole[list], next = order->hole[list];
    write_word(hole, next);
    write_word(hole + WORD, head);
    if (next != 0) write_word(next + WORD, hole);
    order->hole[list] = hole;
    order->listed |= (uint64_t)1 << list;
}

/* A list may be empty then that counts as one with holes. */
static void delist(uintptr_t hole, size_t bytes) {
    if (bytes < LISTED_BYTES) return;
    uintptr_t next = next_of(hole), link = read_word(hole + WORD);
    write_word(link, next);
    if (next != 0) write_word(next + WORD, link);
}

/* --- from slots to holes --- */

static void add(toft_reap *reap, toft_reap_slot *slot, unsigned size_class) {
    const toft_hole_map *map = toft_reap_make_hole(reap, slot, size_class);
    uintptr_t begin = (uintptr_t)slot, end = begin + toft_reap_slot_bytes(size_class);
    size_t before_bytes = bytes_before(map, begin), behind_bytes = bytes_from(map, end);
    delist(begin - before_bytes, before_bytes);
    delist(end, behind_bytes);
    enlist(reap->order, begin - before_bytes, before_bytes + (end - begin) + behind_bytes);
}

/* A hole lies in one map. */
static bool can_be_hole(toft_holes *holes, const toft_reap_slot *slot, unsigned size_class) {
    const toft_hole_map *map = toft_holes_find(holes, (uintptr_t)slot);
    size_t bytes = toft_reap_slot_bytes(size_class);
    return map != NULL && (uintptr_t)slot - map->begin <= map->bytes - toft_min(bytes, map->bytes);
}

/* False where no slot of the lists became a hole. */
static bool add_all(toft_reap *reap) {
    bool any = false;
    for (unsigned size_class = 0; size_class < TOFT_REAP_CLASSES; size_class++) {
        toft_reap_slot *kept = NULL;
        for (toft_reap_slot *slot = reap->free[size_class], *next; slot != NULL; slot = next) {
            next = toft_reap_next(slot);
            if (can_be_hole(&reap->order->holes, slot, size_class)) {
                add(reap, slot, size_class);
                any = true;
            } else {
                toft_reap_set_next(slot, kept);
                kept = slot;
            }
        }
        reap->free[size_class] = kept;
    }
    return any;
}

/* False where there is no memory for any bits. */
static bool has_begun(toft_reap *reap) {
    if (!toft_reap_has_order(reap)) return false;
    toft_reap_order *order = reap->order;
    toft_holes *holes = &order->holes;
    (void)toft_holes_cover(holes, &reap->arena);
    if (order->full) return true;
    if (holes->map_count == 0) return false;
    toft_reap_put_bundles_back(reap);
    order->full = true;
    toft_hole hole;
    holes->at_granule = 0; /* not in the middle of a hole */
    toft_holes_begin_search(holes);
    while (toft_holes_search_slow(holes, SIZE_MAX, &hole)) {
        size_t left_bytes = holes->at->begin + holes->at->bytes - hole.address;
        if (hole.address - holes->at->begin < holes->at->bytes)
            enlist(order, hole.address, toft_min(hole.bytes, left_bytes));
        toft_holes_skip(holes, &hole);
    }
    toft_reap_set_floor(reap, 1);
    toft_reap_settle_end(reap);
    return true;
}

/* --- from holes to slots --- */

static void *take_of(toft_reap_order *order, uintptr_t hole, size_t hole_bytes, uintptr_t begin,
                     size_t bytes) {
    toft_hole_map *map = toft_holes_find(&order->holes, hole);
    uintptr_t end = begin + bytes;
    delist(hole, hole_bytes);
    toft_holes_take_slow(map, (begin - map->begin) / TOFT_HOLE_GRANULE, bytes / TOFT_HOLE_GRANULE);
    enlist(order, hole, begin - hole);
    enlist(order, end, hole + hole_bytes - end);
    return (void *)begin;
}

static void *take_of_list(toft_reap_order *order, unsigned list, size_t bytes, size_t alignment) {
    uintptr_t hole = order->hole[list];
    if (hole == 0) order->listed &= ~((uint64_t)1 << list);
    for (unsigned i = 0; hole != 0 && i < TRIED_HOLES; i++, hole = next_of(hole)) {
        size_t hole_bytes = bytes_from(toft_holes_find(&order->holes, hole), hole);
        uintptr_t begin = toft_align_up(hole, alignment);
        if (begin + bytes <= hole + hole_bytes)
            return take_of(order, hole, hole_bytes, begin, bytes);
    }
    return NULL;
}

/* A hole that is too small for a list has room for the smallest slot. All others were tried. */
static void *take_unlisted(toft_reap_order *order) {
    toft_hole hole;
    toft_holes_begin_search(&order->holes);
    if (!toft_holes_search_slow(&order->holes, TOFT_HOLE_GRANULE, &hole)) return NULL;
    toft_holes_take(&order->holes, hole.address, TOFT_HOLE_GRANULE);
    return (void *)hole.address;
}

static void *take(toft_reap_order *order, unsigned size_class) {
    size_t bytes = toft_reap_slot_bytes(size_class);
    size_t alignment = toft_reap_slot_alignment(size_class);
    unsigned least = alignment > 16 ? list_of(0, bytes) : size_class;
    for (uint64_t lists = order->listed >> least << least; lists != 0; lists &= lists - 1) {
        void *slot = take_of_list(order, (unsigned)__builtin_ctzll(lists), bytes, alignment);
        if (slot != NULL) return slot;
    }
    return bytes < LISTED_BYTES ? take_unlisted(order) : NULL;
}

void *toft_reap_take_of_full(toft_reap *reap, unsigned size_class) {
    if (reap->savepoint != NULL || !has_begun(reap)) return NULL;
    void *slot = take(reap->order, size_class);
    if (slot == NULL && add_all(reap)) slot = take(reap->order, size_class);
    return slot;
}
