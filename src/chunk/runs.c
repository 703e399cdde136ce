/* SPDX-License-Identifier: MIT */
#include "chunk/runs.h"

#include <stdbool.h>

#include "base/check.h"
#include "base/list.h"
#include "base/misuse.h"
#include "os/os.h"
#include "os/tracking.h"

/* How many blocks of the list that may fit are looked at, before one that fits for certain is
   taken. */
enum { near_fits_max = 8 };

/* --- bits --- */

/* The first bit of the given value in from..end-1, or end. */
static unsigned find(const uint64_t *bits, unsigned from, unsigned end, bool value) {
    for (unsigned at = from; at < end; at = (at / 64 + 1) * 64) {
        uint64_t word = (value ? bits[at / 64] : ~bits[at / 64]) >> at % 64;
        if (word == 0) continue;
        unsigned found = at + (unsigned)__builtin_ctzll(word);
        return found < end ? found : end;
    }
    return end;
}

/* The bits right before end that are set without a gap: where they begin, or end where there are
   none. */
static unsigned begin_before(const uint64_t *bits, unsigned end) {
    while (end != 0) {
        uint64_t word = ~bits[(end - 1) / 64] << (63 - (end - 1) % 64);
        if (word != 0) return end - (unsigned)__builtin_clzll(word);
        end = (end - 1) / 64 * 64;
    }
    return 0;
}

/* Gives count bits, from first on, the value. Returns how many of them had another value before. */
static unsigned put(uint64_t *bits, unsigned first, unsigned count, bool value) {
    unsigned changed = 0;
    for (unsigned at = first, end = first + count; at < end;) {
        unsigned in_word = (unsigned)toft_min(64 - at % 64, end - at);
        uint64_t mask = (~(uint64_t)0 >> (64 - in_word)) << at % 64;
        uint64_t *word = &bits[at / 64];
        changed += (unsigned)__builtin_popcountll((value ? ~*word : *word) & mask);
        *word = value ? *word | mask : *word & ~mask;
        at += in_word;
    }
    return changed;
}

/* --- the lists --- */

static unsigned list_of(unsigned granules) {
    return granules == 0 ? 0 : 32U - (unsigned)__builtin_clz(granules);
}

static toft_run_block **home_of(toft_runs *runs, const toft_run_block *block) {
    return block->used == 0 ? &runs->empty : &runs->blocks[list_of(block->longest)];
}

static void unlink_block(toft_runs *runs, toft_run_block *block) {
    toft_run_block **home = home_of(runs, block);
    TOFT_LIST_REMOVE(*home, block);
    if (runs->sweep_next == block) runs->sweep_next = block->next;
    if (block->used == 0) runs->empty_bytes -= toft_run_block_bytes(block);
}

static void link_block(toft_runs *runs, toft_run_block *block) {
    toft_run_block **home = home_of(runs, block);
    TOFT_LIST_PUSH(*home, block);
    if (block->used == 0) runs->empty_bytes += toft_run_block_bytes(block);
}

/* --- runs of a block --- */

static unsigned longest_free(const toft_run_block *block) {
    unsigned longest = 0;
    for (unsigned at = 0; at < block->granules;) {
        unsigned first = find(block->free_bits, at, block->granules, true);
        at = find(block->free_bits, first, block->granules, false);
        if (at - first > longest) longest = at - first;
    }
    return longest;
}

/* All granules but the header's are used or free; memory that was never used is free and not
   dirty. */
static bool is_sound(const toft_runs *runs, const toft_run_block *block) {
    unsigned free = 0;
    for (unsigned word = 0; word < TOFT_RUN_WORDS; word++) {
        if ((block->dirty_bits[word] & ~block->free_bits[word]) != 0) return false;
        free += (unsigned)__builtin_popcountll(block->free_bits[word]);
    }
    bool rest_is_fresh =
        find(block->free_bits, block->fresh, block->granules, false) == block->granules &&
        find(block->dirty_bits, block->fresh, block->granules, true) == block->granules;
    return rest_is_fresh && free + block->used + 1 == block->granules && block->longest <= free &&
           runs->empty_bytes <= runs->held_bytes && runs->dirty_bytes <= runs->held_bytes;
}

/* The first free run of at least count granules; one is there. */
static unsigned first_fit(const toft_run_block *block, unsigned count, unsigned *length) {
    for (unsigned at = 0;;) {
        unsigned first = find(block->free_bits, at, block->granules, true);
        at = find(block->free_bits, first, block->granules, false);
        *length = at - first;
        if (*length >= count) return first;
    }
}

/* Looks first among the blocks whose longest run may be just long enough, then among those whose
   longest run certainly is, the shortest first. */
static toft_run_block *find_block(const toft_runs *runs, unsigned count) {
    unsigned list = list_of(count), looked_at = 0;
    for (toft_run_block *block = runs->blocks[list]; block != NULL; block = block->next) {
        if (block->longest >= count) return block;
        if (++looked_at == near_fits_max) break;
    }
    while (++list < TOFT_RUN_LISTS)
        if (runs->blocks[list] != NULL) return runs->blocks[list];
    for (toft_run_block *block = runs->empty; block != NULL; block = block->next)
        if (block->longest >= count) return block;
    return NULL;
}

static unsigned granules_of(size_t bytes) {
    return (unsigned)(toft_run_bytes(bytes) / TOFT_RUN_GRANULE_BYTES);
}

/* Takes granules at the beginning of a free run of so many. */
static void use(toft_runs *runs, toft_run_block *block, unsigned first, unsigned count,
                unsigned length) {
    TOFT_ASSERT(is_sound(runs, block));
    unlink_block(runs, block);
    put(block->free_bits, first, count, false);
    unsigned dirty = put(block->dirty_bits, first, count, false);
    runs->dirty_bytes -= dirty * TOFT_RUN_GRANULE_BYTES;
    runs->took_clean_bytes = (count - dirty) * TOFT_RUN_GRANULE_BYTES;
    block->fresh = (uint32_t)toft_max(block->fresh, first + count);
    block->used += count;
    if (length == block->longest) block->longest = longest_free(block);
    link_block(runs, block);
    TOFT_ASSERT(is_sound(runs, block));
    if (toft_tracking())
        toft_track_allocated((char *)block + first * TOFT_RUN_GRANULE_BYTES,
                             count * TOFT_RUN_GRANULE_BYTES);
}

void *toft_runs_take(toft_runs *runs, size_t bytes, toft_run_block **block) {
    unsigned count = granules_of(bytes), length;
    toft_run_block *found = find_block(runs, count);
    if (found == NULL) return NULL;
    unsigned first = first_fit(found, count, &length);
    runs->took_fresh = first >= found->fresh;
    use(runs, found, first, count, length);
    *block = found;
    return (char *)found + first * TOFT_RUN_GRANULE_BYTES;
}

static unsigned first_of(const toft_run_block *block, const void *run) {
    return (unsigned)((size_t)((const char *)run - (const char *)block) / TOFT_RUN_GRANULE_BYTES);
}

bool toft_runs_lengthen(toft_runs *runs, toft_run_block *block, void *run, size_t old_bytes,
                        size_t bytes) {
    unsigned behind = first_of(block, run) + granules_of(old_bytes);
    unsigned length = find(block->free_bits, behind, block->granules, false) - behind;
    unsigned count = granules_of(bytes) - granules_of(old_bytes);
    if (count > length) return false;
    if (count != 0) use(runs, block, behind, count, length);
    return true;
}

void toft_runs_give(toft_runs *runs, toft_run_block *block, void *run, size_t bytes) {
    unsigned first = first_of(block, run), count = granules_of(bytes);
    TOFT_ASSERT(is_sound(runs, block));
    TOFT_ASSERT(first != 0 && first + count <= block->granules);
    unlink_block(runs, block);
    if (put(block->free_bits, first, count, true) != count) toft_misuse(run, "freed twice");
    runs->dirty_bytes += put(block->dirty_bits, first, count, true) * TOFT_RUN_GRANULE_BYTES;
    block->used -= count;
    unsigned begin = begin_before(block->free_bits, first + count);
    unsigned length = find(block->free_bits, first, block->granules, false) - begin;
    if (length > block->longest) block->longest = length;
    link_block(runs, block);
    TOFT_ASSERT(is_sound(runs, block));
    if (toft_tracking()) toft_track_free(run, toft_run_bytes(bytes));
}

/* --- blocks --- */

void toft_runs_add(toft_runs *runs, void *memory, size_t bytes, size_t touched_bytes) {
    unsigned granules = (unsigned)(bytes / TOFT_RUN_GRANULE_BYTES);
    unsigned fresh = (unsigned)toft_max(1, touched_bytes / TOFT_RUN_GRANULE_BYTES);
    toft_run_block *block = memory;
    *block = (toft_run_block){.granules = granules, .longest = granules - 1, .fresh = fresh};
    put(block->free_bits, 1, granules - 1, true);
    runs->dirty_bytes += put(block->dirty_bits, 1, fresh - 1, true) * TOFT_RUN_GRANULE_BYTES;
    link_block(runs, block);
    runs->held_bytes += bytes;
    if (toft_tracking())
        toft_track_free((char *)memory + TOFT_RUN_GRANULE_BYTES, bytes - TOFT_RUN_GRANULE_BYTES);
}

static toft_run_block *pop(toft_runs *runs, toft_run_block *block) {
    TOFT_ASSERT(is_sound(runs, block));
    unlink_block(runs, block);
    unsigned dirty = put(block->dirty_bits, 0, block->granules, false);
    runs->dirty_bytes -= dirty * TOFT_RUN_GRANULE_BYTES;
    runs->held_bytes -= toft_run_block_bytes(block);
    if (toft_tracking()) {
        char *behind = (char *)block + TOFT_RUN_GRANULE_BYTES;
        toft_track_allocated(behind, toft_run_block_bytes(block) - TOFT_RUN_GRANULE_BYTES);
    }
    return block;
}

toft_run_block *toft_runs_pop_empty(toft_runs *runs, size_t keep_bytes) {
    return runs->empty_bytes > keep_bytes ? pop(runs, runs->empty) : NULL;
}

toft_run_block *toft_runs_pop_any(toft_runs *runs) {
    if (runs->empty != NULL) return pop(runs, runs->empty);
    for (unsigned list = 0; list < TOFT_RUN_LISTS; list++)
        if (runs->blocks[list] != NULL) return pop(runs, runs->blocks[list]);
    return NULL;
}

static void discard_in(toft_runs *runs, toft_run_block *block) {
    for (unsigned at = 0; at < block->granules;) {
        unsigned first = find(block->dirty_bits, at, block->granules, true);
        at = find(block->dirty_bits, first, block->granules, false);
        toft_os_discard_within((char *)block + first * TOFT_RUN_GRANULE_BYTES,
                               (at - first) * TOFT_RUN_GRANULE_BYTES);
    }
    unsigned dirty = put(block->dirty_bits, 0, block->granules, false);
    runs->dirty_bytes -= dirty * TOFT_RUN_GRANULE_BYTES;
}

/* Goes from one list to the next: empty blocks first, then those with the longest free runs, which
   are needed least. False where a sweep ends and the next one begins. */
static bool sweep_on(toft_runs *runs) {
    if (runs->sweep_list != 0) {
        runs->sweep_next = runs->blocks[--runs->sweep_list];
        return true;
    }
    runs->sweep_next = runs->empty;
    runs->sweep_list = TOFT_RUN_LISTS;
    return false;
}

/* To the end of the sweep that has begun, and then once over all blocks. */
void toft_runs_discard(toft_runs *runs, size_t keep_bytes) {
    for (unsigned ends = 0; runs->dirty_bytes > keep_bytes;) {
        toft_run_block *block = runs->sweep_next;
        if (block != NULL) {
            runs->sweep_next = block->next;
            discard_in(runs, block);
        } else if (!sweep_on(runs) && ++ends == 2) {
            return;
        }
    }
}
