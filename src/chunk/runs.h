/* SPDX-License-Identifier: MIT */
/* Runs: pieces of 4 KiB to 1 MiB, cut from blocks of up to 4 MiB. So the number of mappings follows
 * the bytes held, and not the number of pieces.
 *
 *     block
 *    +--------+-----------+------+---------+---------- - -+
 *    | header | run       | free | run     | free         |     a bit for each granule that is free
 *    +--------+-----------+------+---------+---------- - -+
 *
 * Free neighbours are one free run, since only bits tell them apart. Blocks are listed by the
 * longest run that they have free, so that a search touches few of them; the lowest fit in a block
 * is taken, and an empty block only where no other has room.
 *
 * Threads: the owner's lock is held in every call. The owner gets blocks from the system and gives
 * them back: nothing here calls the system, but for toft_runs_discard. What is free is poisoned
 * while a tool tracks memory. */
#ifndef TOFT_CHUNK_RUNS_H
#define TOFT_CHUNK_RUNS_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bits.h"

#define TOFT_RUN_GRANULE_BYTES ((size_t)4 << 10)
#define TOFT_RUN_MAX_BYTES ((size_t)1 << 20)
#define TOFT_RUN_BLOCK_BYTES ((size_t)4 << 20) /* the most that a block can be */
#define TOFT_RUN_GRANULES (TOFT_RUN_BLOCK_BYTES / TOFT_RUN_GRANULE_BYTES)
#define TOFT_RUN_WORDS (TOFT_RUN_GRANULES / 64)

/* The header of a block, in its first granule. */
typedef struct toft_run_block {
    struct toft_run_block *prev, *next;
    uint32_t granules; /* the header's included */
    uint32_t used;     /* in runs handed out */
    uint32_t longest;  /* granules of the longest free run */
    uint32_t fresh;    /* nothing from this granule on has been handed out yet */
    uint64_t free_bits[TOFT_RUN_WORDS];
    uint64_t dirty_bits[TOFT_RUN_WORDS]; /* free ones that have been handed out before */
} toft_run_block;
static_assert(sizeof(toft_run_block) <= TOFT_RUN_GRANULE_BYTES, "the header is one granule");

/* Blocks by the logarithm of their longest free run: none, 1, 2 or 3, 4 to 7, ... */
#define TOFT_RUN_LISTS 11U

/* All zero: no blocks. */
typedef struct toft_runs {
    toft_run_block *blocks[TOFT_RUN_LISTS]; /* with runs in them */
    toft_run_block *empty;                  /* without */
    size_t held_bytes;                      /* the sum of all blocks */
    size_t empty_bytes;                     /* the sum of the blocks without runs */
    size_t dirty_bytes;      /* free, but the system's physical memory may still be spent on it */
    bool took_fresh;         /* the run taken last has its block's first contents */
    size_t took_clean_bytes; /* of it: no physical memory was spent on these */
    toft_run_block *sweep_next; /* where toft_runs_discard goes on */
    unsigned sweep_list;        /* in this list */
} toft_runs;

/* What a run of so many bytes takes. */
static inline size_t toft_run_bytes(size_t bytes) {
    return toft_align_up(bytes, TOFT_RUN_GRANULE_BYTES);
}

/* How large a block must be for a run of so many bytes. */
static inline size_t toft_run_least_block_bytes(size_t bytes) {
    return TOFT_RUN_GRANULE_BYTES + toft_run_bytes(bytes);
}

/* A run of at least bytes bytes, at most TOFT_RUN_MAX_BYTES, and its block; NULL where no block has
   room. The run lies a multiple of the granule behind the block's start. */
void *toft_runs_take(toft_runs *runs, size_t bytes, toft_run_block **block);

/* Makes a run of old_bytes longer where it is: at least bytes bytes. False where what lies behind
   it isn't free, and nothing has changed. */
bool toft_runs_lengthen(toft_runs *runs, toft_run_block *block, void *run, size_t old_bytes,
                        size_t bytes);

/* Takes back what toft_runs_take returned for bytes. */
void toft_runs_give(toft_runs *runs, toft_run_block *block, void *run, size_t bytes);

/* Adds memory as a block: a multiple of the granule, as large as the above says for some run. The
   first touched_bytes of it, another multiple, may have any contents; the rest is as the system
   maps it. */
void toft_runs_add(toft_runs *runs, void *memory, size_t bytes, size_t touched_bytes);

/* Takes an empty block out, while empty ones have more than keep_bytes; NULL when there is none.
   It is the owner's again, as toft_runs_add got it, of toft_run_block_bytes(it) bytes. */
toft_run_block *toft_runs_pop_empty(toft_runs *runs, size_t keep_bytes);
/* The same for any block, whatever runs are in it. */
toft_run_block *toft_runs_pop_any(toft_runs *runs);

static inline size_t toft_run_block_bytes(const toft_run_block *block) {
    return block->granules * TOFT_RUN_GRANULE_BYTES;
}

/* Behind so many bytes of a block, its memory is as the system maps it. */
static inline size_t toft_run_block_touched_bytes(const toft_run_block *block) {
    return block->fresh * TOFT_RUN_GRANULE_BYTES;
}

/* Gives the physical memory of free runs back to the system until at most keep_bytes of it are
   left. A call goes on where the one before it stopped. For blocks of the system's memory alone. */
void toft_runs_discard(toft_runs *runs, size_t keep_bytes);

#endif
