/* SPDX-License-Identifier: MIT */
#include "reap/holes.h"

#include <string.h>

#include <toft/reap.h>

/* A larger chunk has several maps, each made once its memory is used: one of all of it would cost
   much at once. */
#define MAP_MAX_BYTES ((size_t)64 << 20)
#define FIRST_MAPS ((size_t)16)

void *toft_holes_take_own(toft_holes *holes, toft_arena *arena, size_t bytes) {
    bytes = toft_align_up(bytes, TOFT_CHUNK_ALIGNMENT); /* so that no slot behind it is padded */
    void *own = toft_arena_alloc(arena, bytes, TOFT_CHUNK_ALIGNMENT);
    if (own != NULL) holes->own_bytes += bytes;
    return own;
}

static bool has_room(toft_holes *holes, toft_arena *arena) {
    if (holes->map_count < holes->map_capacity) return true;
    size_t capacity = toft_max(FIRST_MAPS, 2 * holes->map_capacity);
    toft_hole_map **maps = toft_holes_take_own(holes, arena, capacity * sizeof *maps);
    if (maps == NULL) return false;
    if (holes->map_count != 0) memcpy(maps, holes->maps, holes->map_count * sizeof *maps);
    holes->maps = maps;
    holes->map_capacity = capacity;
    return true;
}

static size_t words_of(size_t bits) { return (bits + 63) / 64; }

static toft_hole_map *make_map(toft_holes *holes, toft_arena *arena, uintptr_t begin,
                               uintptr_t chunk_end) {
    size_t bytes = toft_min(chunk_end - begin, MAP_MAX_BYTES);
    size_t granules = toft_min(chunk_end - begin, bytes + TOFT_REAP_SLOT_MAX) / TOFT_HOLE_GRANULE;
    size_t words = words_of(granules), any_words = words_of(words);
    toft_hole_map *map =
        toft_holes_take_own(holes, arena, sizeof *map + (words + any_words) * sizeof(uint64_t));
    if (map == NULL) return NULL;
    *map = (toft_hole_map){.begin = begin, .bytes = bytes, .granules = granules};
    map->bits = (uint64_t *)(void *)(map + 1);
    map->any = map->bits + words;
    memset(map->bits, 0, (words + any_words) * sizeof(uint64_t));
    return map;
}

static void insert(toft_holes *holes, toft_hole_map *map) {
    size_t place = holes->map_count++;
    for (; place != 0 && holes->maps[place - 1]->begin > map->begin; place--)
        holes->maps[place] = holes->maps[place - 1];
    holes->maps[place] = map;
    if (holes->at == NULL) {
        map->next = map;
        holes->at = holes->stop = map;
        for (size_t i = 0; i < TOFT_HOLES_FOUND; i++) holes->found[i] = map;
    } else {
        map->next = holes->at->next;
        holes->at->next = map;
    }
}

static void go_on_with(toft_holes *holes, const toft_chunk *chunk) {
    holes->newest = chunk;
    holes->covered = (uintptr_t)chunk;
}

static uintptr_t used_end(const toft_arena *arena, const toft_chunk *chunk) {
    return (uintptr_t)(chunk == toft_arena_current(arena) ? arena->cur : chunk->end);
}

/* The maps' own memory may be in a new chunk, which is then covered too. */
bool toft_holes_cover(toft_holes *holes, toft_arena *arena) {
    if (holes->newest == NULL) go_on_with(holes, arena->first);
    for (;; go_on_with(holes, holes->newest->next)) {
        const toft_chunk *chunk = holes->newest;
        while (holes->covered < used_end(arena, chunk)) {
            if (!has_room(holes, arena)) return false;
            toft_hole_map *map = make_map(holes, arena, holes->covered, (uintptr_t)chunk->end);
            if (map == NULL) return false;
            insert(holes, map);
            holes->covered += map->bytes;
        }
        if (chunk == toft_arena_current(arena)) return true;
    }
}

toft_hole_map *toft_holes_find_slow(toft_holes *holes, uintptr_t address) {
    toft_hole_map *const *low = holes->maps;
    for (size_t left = holes->map_count; left > 1;) {
        size_t half = left / 2;
        low = low[half]->begin <= address ? low + half : low;
        left -= half;
    }
    toft_hole_map *found = *low;
    if (address - found->begin >= found->bytes) return NULL;
    holes->found[address >> TOFT_HOLES_FOUND_BIT & (TOFT_HOLES_FOUND - 1)] = found;
    return found;
}

bool toft_holes_add_any(toft_hole_map *map, uintptr_t address, size_t bytes) {
    bool all = true;
    for (size_t added; bytes != 0; bytes -= added, address += added) {
        added = toft_min(bytes, TOFT_HOLES_ADD_MAX_BYTES);
        all = toft_holes_add(map, address, added) && all;
    }
    return all;
}

/* Bits first to first + count - 1 of a word; count is 1 to 64 - first. */
static uint64_t bits_of_word(size_t first, size_t count) {
    return (~(uint64_t)0 >> (64 - count)) << first;
}

static void go_to(toft_holes *holes, toft_hole_map *map, size_t granule) {
    bool last = holes->around && map == holes->stop;
    holes->at = map;
    holes->at_granule = granule;
    holes->limit_granule = last ? holes->stop_granule : map->granules;
}

void toft_holes_begin_search(toft_holes *holes) {
    holes->stop = holes->at;
    holes->stop_granule = holes->at_granule;
    holes->around = false;
    holes->exhausted = false;
    go_to(holes, holes->at, holes->at_granule);
}

/* The first free granule from this one on, or `granules`. */
static size_t next_free(const toft_hole_map *map, size_t granule) {
    size_t word = granule / 64, words = words_of(map->granules);
    if (word >= words) return map->granules;
    uint64_t bits = map->bits[word] & ~(uint64_t)0 << granule % 64;
    if (bits != 0) return word * 64 + (size_t)__builtin_ctzll(bits);
    for (word++; word < words; word = (word / 64 + 1) * 64) {
        for (uint64_t any = map->any[word / 64] & ~(uint64_t)0 << word % 64; any != 0;
             any &= any - 1) {
            size_t found = word / 64 * 64 + (size_t)__builtin_ctzll(any);
            bits = map->bits[found];
            if (bits != 0) return found * 64 + (size_t)__builtin_ctzll(bits);
            map->any[found / 64] &= ~((uint64_t)1 << found % 64);
        }
    }
    return map->granules;
}

/* How many granules are free from this one on, of `most` that are asked for. */
static size_t count_free(const toft_hole_map *map, size_t granule, size_t most) {
    size_t count = 0;
    most = toft_min(most, map->granules - granule);
    while (count < most) {
        size_t first = (granule + count) % 64;
        uint64_t used = ~map->bits[(granule + count) / 64] >> first;
        if (used != 0) return toft_min(most, count + (size_t)__builtin_ctzll(used));
        count += 64 - first;
    }
    return most;
}

bool toft_holes_search_slow(toft_holes *holes, size_t most_bytes, toft_hole *hole) {
    while (!holes->exhausted) {
        toft_hole_map *map = holes->at;
        size_t granule = next_free(map, holes->at_granule);
        if (granule < holes->limit_granule) {
            size_t most = most_bytes / TOFT_HOLE_GRANULE;
            holes->at_granule = granule;
            *hole = (toft_hole){map->begin + granule * TOFT_HOLE_GRANULE,
                                count_free(map, granule, most) * TOFT_HOLE_GRANULE};
            return true;
        }
        if (holes->around && map == holes->stop) {
            holes->exhausted = true;
            holes->limit_granule = 0;
        } else {
            holes->around = true;
            go_to(holes, map->next, 0);
        }
    }
    return false;
}

void toft_holes_take_slow(toft_hole_map *map, size_t granule, size_t count) {
    while (count != 0) {
        size_t first = granule % 64;
        size_t here = toft_min(count, 64 - first);
        map->bits[granule / 64] &= ~bits_of_word(first, here);
        granule += here;
        count -= here;
    }
}

size_t toft_holes_bytes(const toft_holes *holes) {
    size_t granules = 0;
    for (size_t i = 0; i < holes->map_count; i++) {
        const toft_hole_map *map = holes->maps[i];
        for (size_t word = 0; word < words_of(map->granules); word++)
            granules += (size_t)__builtin_popcountll(map->bits[word]);
    }
    return granules * TOFT_HOLE_GRANULE;
}
