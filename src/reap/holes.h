/* SPDX-License-Identifier: MIT */
/* Holes: the free memory of a reap's chunks, as bits, so that it can be handed out in the order of
 * its addresses, and free neighbours are one hole.
 *
 *     chunk   |  object  |       hole       |  object  | hole |  object  |
 *     bits     0 0 0 0 0  1 1 1 1 1 1 1 1 1  0 0 0 0 0  1 1 1  0 0 0 0 0      one for 8 bytes
 *
 * A search goes on where the last one ended, and around. The maps lie in the arena, as objects do:
 * they count towards its limit, and a reset frees them. */
#ifndef TOFT_REAP_HOLES_H
#define TOFT_REAP_HOLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena/arena.h"

#define TOFT_HOLE_GRANULE ((size_t)8)

/* What is free in one chunk, or in a part of a large one: objects that begin there. The last one
   may end behind it. */
typedef struct toft_hole_map {
    uintptr_t begin;            /* a multiple of 16 */
    size_t bytes;               /* in which objects begin */
    size_t granules;            /* in which they lie */
    uint64_t *bits;             /* one for each granule that is free */
    uint64_t *any;              /* one for each word of those that isn't 0 */
    struct toft_hole_map *next; /* in a ring */
} toft_hole_map;

/* Look-ups that were made before, by the address's bits from this one on. */
#define TOFT_HOLES_FOUND_BIT 20
#define TOFT_HOLES_FOUND ((size_t)128)

typedef struct toft_holes {
    toft_hole_map **maps; /* by address */
    size_t map_count;
    size_t map_capacity;
    toft_hole_map *found[TOFT_HOLES_FOUND];
    const toft_chunk *newest; /* the newest chunk that has a map, */
    uintptr_t covered;        /* as far as here */
    toft_hole_map *at;        /* the search: it goes on in this map, */
    size_t at_granule;        /* here, */
    size_t limit_granule;     /* as far as here, and then in the next map; */
    toft_hole_map *stop;      /* it ends in this one, */
    size_t stop_granule;      /* here, */
    bool around;              /* once it has gone around; */
    bool exhausted;           /* it has ended */
    size_t own_bytes;         /* of the arena's, for the maps */
} toft_holes;

typedef struct toft_hole {
    uintptr_t address;
    size_t bytes;
} toft_hole;

/* Memory for their own use, or their owner's; it goes with the arena. NULL when out of memory. */
void *toft_holes_take_own(toft_holes *holes, toft_arena *arena, size_t bytes);

/* Has maps of all that the arena has handed out. No savepoint stands. False when out of memory. */
bool toft_holes_cover(toft_holes *holes, toft_arena *arena);

/* The map of the objects that begin where this one does. NULL: the arena hasn't handed it out. */
toft_hole_map *toft_holes_find_slow(toft_holes *holes, uintptr_t address);

static inline toft_hole_map *toft_holes_find(toft_holes *holes, uintptr_t address) {
    toft_hole_map *found = holes->found[address >> TOFT_HOLES_FOUND_BIT & (TOFT_HOLES_FOUND - 1)];
    if (TOFT_LIKELY(address - found->begin < found->bytes)) return found;
    return toft_holes_find_slow(holes, address);
}

/* The most that the next one adds. */
#define TOFT_HOLES_ADD_MAX_BYTES ((size_t)256)

/* Says that the memory of one object is free. False where part of it was already, or isn't in the
   map. */
static inline bool toft_holes_add(toft_hole_map *map, uintptr_t address, size_t bytes) {
    size_t granule = (address - map->begin) / TOFT_HOLE_GRANULE;
    size_t count = bytes / TOFT_HOLE_GRANULE;
    size_t word = granule / 64, first = granule % 64;
    if (TOFT_UNLIKELY(granule + count > map->granules)) return false;
    uint64_t all = ~(uint64_t)0 >> (64 - count);
    uint64_t before = map->bits[word];
    uint64_t taken = before & all << first;
    map->bits[word] = before | all << first;
    if (before == 0) map->any[word / 64] |= (uint64_t)1 << word % 64;
    if (first + count > 64) {
        uint64_t rest = all >> (64 - first);
        before = map->bits[++word];
        taken |= before & rest;
        map->bits[word] = before | rest;
        if (before == 0) map->any[word / 64] |= (uint64_t)1 << word % 64;
    }
    return taken == 0;
}

/* The same for an object of any size. */
bool toft_holes_add_any(toft_hole_map *map, uintptr_t address, size_t bytes);

/* Begins a search that goes around once, for what was added. */
void toft_holes_begin_search(toft_holes *holes);

bool toft_holes_search_slow(toft_holes *holes, size_t most_bytes, toft_hole *hole);
void toft_holes_take_slow(toft_hole_map *map, size_t granule, size_t count);

/* The next hole, or as much of it as most_bytes or a bit more; false once the search has gone
   around. The hole is found again unless it is taken, or skipped. */
static inline bool toft_holes_search(toft_holes *holes, size_t most_bytes, toft_hole *hole) {
    const toft_hole_map *map = holes->at;
    size_t granule = holes->at_granule;
    if (TOFT_UNLIKELY(granule >= holes->limit_granule))
        return toft_holes_search_slow(holes, most_bytes, hole);
    uint64_t bits = map->bits[granule / 64] >> granule % 64;
    if (bits == 0) return toft_holes_search_slow(holes, most_bytes, hole);
    size_t skipped = (size_t)__builtin_ctzll(bits);
    uint64_t used = ~(bits >> skipped);
    size_t count = used == 0 ? 64 : (size_t)__builtin_ctzll(used);
    granule += skipped;
    if (granule % 64 + count >= 64 || granule >= holes->limit_granule)
        return toft_holes_search_slow(holes, most_bytes, hole);
    holes->at_granule = granule;
    *hole = (toft_hole){map->begin + granule * TOFT_HOLE_GRANULE, count * TOFT_HOLE_GRANULE};
    return true;
}

/* Memory of the hole that was found last is no longer free; the search goes on behind it. */
static inline void toft_holes_take(toft_holes *holes, uintptr_t address, size_t bytes) {
    toft_hole_map *map = holes->at;
    size_t granule = (address - map->begin) / TOFT_HOLE_GRANULE;
    size_t count = bytes / TOFT_HOLE_GRANULE;
    holes->at_granule = granule + count;
    if (TOFT_LIKELY(granule % 64 + count <= 64))
        map->bits[granule / 64] &= ~((~(uint64_t)0 >> (64 - count)) << granule % 64);
    else
        toft_holes_take_slow(map, granule, count);
}

/* The search goes on behind the hole that was found last. */
static inline void toft_holes_skip(toft_holes *holes, const toft_hole *hole) {
    holes->at_granule = (hole->address + hole->bytes - holes->at->begin) / TOFT_HOLE_GRANULE;
}

size_t toft_holes_bytes(const toft_holes *holes);

#endif
