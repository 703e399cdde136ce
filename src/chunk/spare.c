/* SPDX-License-Identifier: MIT */
#include "chunk/spare.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/check.h"
#include "os/tracking.h"

static_assert((TOFT_SPARE_GRANULE_BYTES & (TOFT_SPARE_GRANULE_BYTES - 1)) == 0,
              "a power of two, to which sizes are rounded");

static char *end_of(const toft_spare *piece) { return (char *)(uintptr_t)piece + piece->bytes; }

/* --- the tree --- */

/* Which of two pieces is above the other: as if at random, but the same each time. All bits of the
   address count for all of the rank, since pieces often lie at equal distances (the finalizer of
   SplitMix64; Steele, Lea and Flood, 2014). */
static uint64_t rank(const toft_spare *piece) {
    uint64_t bits = (uintptr_t)piece;
    bits = (bits ^ bits >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94D049BB133111EB);
    return bits ^ bits >> 31;
}

static size_t largest_with(const toft_spare *piece) {
    return toft_max(piece->bytes,
                    toft_max(toft_spare_largest(piece->lower), toft_spare_largest(piece->higher)));
}

/* Pieces lie by address, and those that touch each other are joined. *end: where the one before
   ends, and then the last of these. */
static bool is_sound(const toft_spare *piece, const char **end) {
    if (piece == NULL) return true;
    if (!is_sound(piece->lower, end) || (uintptr_t)piece <= (uintptr_t)*end) return false;
    *end = end_of(piece);
    return piece->bytes != 0 && piece->bytes % TOFT_SPARE_GRANULE_BYTES == 0 &&
           piece->largest_bytes == largest_with(piece) && is_sound(piece->higher, end);
}

static bool all_is_sound(const toft_spare *pieces) {
    const char *end = NULL;
    return is_sound(pieces, &end);
}

/* Those that begin before an address, and the others. */
static void split(toft_spare *piece, const void *at, toft_spare **lower, toft_spare **higher) {
    if (piece == NULL) {
        *lower = *higher = NULL;
        return;
    }
    if ((uintptr_t)piece < (uintptr_t)at) {
        *lower = piece;
        split(piece->higher, at, &piece->higher, higher);
    } else {
        *higher = piece;
        split(piece->lower, at, lower, &piece->lower);
    }
    piece->largest_bytes = largest_with(piece);
}

/* The reverse: all of the one lie before all of the other. */
static toft_spare *join(toft_spare *lower, toft_spare *higher) {
    if (lower == NULL) return higher;
    if (higher == NULL) return lower;
    toft_spare *above = rank(lower) > rank(higher) ? lower : higher;
    if (above == lower)
        lower->higher = join(lower->higher, higher);
    else
        higher->lower = join(lower, higher->lower);
    above->largest_bytes = largest_with(above);
    return above;
}

/* The last one, or the first one, taken out; NULL where there is none. */
static toft_spare *pop_last(toft_spare **pieces) {
    toft_spare *last = *pieces, *popped;
    if (last == NULL) return NULL;
    while (last->higher != NULL) last = last->higher;
    split(*pieces, last, pieces, &popped);
    return popped;
}

static toft_spare *pop_first(toft_spare **pieces) {
    toft_spare *first = *pieces, *popped;
    if (first == NULL) return NULL;
    while (first->lower != NULL) first = first->lower;
    split(*pieces, (char *)first + 1, &popped, pieces);
    return popped;
}

/* A piece alone. While a tool tracks memory, it is poisoned, except for its node. */
static toft_spare *make(void *memory, size_t bytes) {
    toft_spare *piece = memory;
    if (toft_tracking()) toft_track_allocated(memory, sizeof *piece);
    *piece = (toft_spare){.bytes = bytes, .largest_bytes = bytes};
    return piece;
}

/* --- take and give --- */

static toft_spare *first_fit(toft_spare *piece, size_t bytes) {
    while (toft_spare_largest(piece) >= bytes) {
        if (toft_spare_largest(piece->lower) >= bytes)
            piece = piece->lower;
        else if (piece->bytes >= bytes)
            return piece;
        else
            piece = piece->higher;
    }
    return NULL;
}

void *toft_spare_take(toft_spare **pieces, size_t bytes) {
    TOFT_ASSERT(bytes != 0 && bytes % TOFT_SPARE_GRANULE_BYTES == 0);
    TOFT_ASSERT(all_is_sound(*pieces));
    toft_spare *taken = first_fit(*pieces, bytes), *lower, *higher;
    if (taken == NULL) return NULL;
    split(*pieces, taken, &lower, &higher);
    taken = pop_first(&higher);
    if (taken->bytes != bytes)
        lower = join(lower, make((char *)taken + bytes, taken->bytes - bytes));
    *pieces = join(lower, higher);
    if (toft_tracking()) toft_track_allocated(taken, bytes);
    return taken;
}

/* The neighbour is put back where it doesn't touch the piece. */
static toft_spare *with_neighbours(toft_spare *lower, toft_spare *given, toft_spare *higher) {
    toft_spare *before = pop_last(&lower), *behind = pop_first(&higher);
    if (behind != NULL && end_of(given) == (char *)behind)
        given = make(given, given->bytes + behind->bytes);
    else
        higher = join(behind, higher);
    if (before != NULL && end_of(before) == (char *)given)
        given = make(before, before->bytes + given->bytes);
    else
        lower = join(lower, before);
    return join(join(lower, given), higher);
}

void toft_spare_give(toft_spare **pieces, void *memory, size_t bytes) {
    TOFT_ASSERT(bytes != 0 && bytes % TOFT_SPARE_GRANULE_BYTES == 0);
    toft_spare *lower, *higher;
    split(*pieces, memory, &lower, &higher);
    if (toft_tracking()) toft_track_free(memory, bytes);
    *pieces = with_neighbours(lower, make(memory, bytes), higher);
    TOFT_ASSERT(all_is_sound(*pieces));
}

void toft_spare_forget(const toft_spare *pieces) {
    if (pieces == NULL) return;
    toft_spare_forget(pieces->lower);
    toft_spare_forget(pieces->higher);
    toft_track_readable(pieces, pieces->bytes);
}
