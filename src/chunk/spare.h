/* SPDX-License-Identifier: MIT */
/* Spare memory: what was given back while its upstream takes nothing back (its free is NULL).
 * Pieces are joined with their neighbours when they are given, and cut when they are taken. A list
 * is a pointer to its first piece; pieces lie in it by address. Linear in the pieces. */
#ifndef TOFT_CHUNK_SPARE_H
#define TOFT_CHUNK_SPARE_H

#include <stddef.h>

typedef struct toft_spare {
    struct toft_spare *next;
    size_t bytes;
} toft_spare;

/* Takes bytes bytes, a multiple of TOFT_SPARE_GRANULE_BYTES, from the smallest piece that has
   them; NULL where none has. */
#define TOFT_SPARE_GRANULE_BYTES ((size_t)16)
void *toft_spare_take(toft_spare **list, size_t bytes);

/* The size of the largest piece, or 0. */
size_t toft_spare_largest(const toft_spare *list);

/* While a tool tracks memory: unpoisons all pieces, since their owner may use them without a
   call. */
void toft_spare_forget(const toft_spare *list);

/* Adds bytes bytes at memory, both multiples of TOFT_SPARE_GRANULE_BYTES. */
void toft_spare_give(toft_spare **list, void *memory, size_t bytes);

#endif
