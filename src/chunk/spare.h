/* SPDX-License-Identifier: MIT */
/* Spare memory: what was given back while its upstream takes nothing back (its free is NULL).
 * Pieces are joined with their neighbours when they are given, and cut when they are taken.
 *
 * They are a treap, whose nodes lie in the pieces: by address a search tree, whose root each piece
 * is as likely to be as any other (Seidel and Aragon: Randomized Search Trees, 1996). Each node
 * knows the largest piece of its subtree. So all calls but toft_spare_forget take some log2(n)
 * steps among n pieces. */
#ifndef TOFT_CHUNK_SPARE_H
#define TOFT_CHUNK_SPARE_H

#include <stddef.h>

typedef struct toft_spare {
    struct toft_spare *lower, *higher; /* subtrees: pieces before this one, and behind it */
    size_t bytes;
    size_t largest_bytes; /* of this piece and of those in its subtrees */
} toft_spare;

/* Takes bytes bytes, a multiple of TOFT_SPARE_GRANULE_BYTES, from the first piece that has them;
   NULL where none has. */
#define TOFT_SPARE_GRANULE_BYTES sizeof(toft_spare)
void *toft_spare_take(toft_spare **pieces, size_t bytes);

/* The size of the largest piece, or 0. */
static inline size_t toft_spare_largest(const toft_spare *pieces) {
    return pieces == NULL ? 0 : pieces->largest_bytes;
}

/* Adds bytes bytes, a multiple of TOFT_SPARE_GRANULE_BYTES, at memory, which is aligned for
   pointers. */
void toft_spare_give(toft_spare **pieces, void *memory, size_t bytes);

/* While a tool tracks memory: unpoisons all pieces, since their owner may use them without a
   call. */
void toft_spare_forget(const toft_spare *pieces);

#endif
