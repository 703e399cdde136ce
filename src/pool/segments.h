/* SPDX-License-Identifier: MIT */
/* The process's store of memory that destroyed pools have left, kept warm for the next ones.
 *
 * A pool that lives as long as one document or request would else pay the system for each: a
 * mapping, a fault for each page that it touches, and the mapping's end. What is kept are blocks:
 * those of one segment, which all are while a pool is small, and which large objects' first runs
 * lie in, and those of a huge page; and the mappings of other large objects and runs, for the next
 * that wants just as many bytes, as a vector does that grows in the same steps. Up to
 * TOFT_SEGMENTS_KEPT_BYTES stay; while nobody wants them they decay as a pool's idle memory does,
 * by half twice a second, driven by calls. While a tool tracks memory none is kept. Any thread. The
 * store's lock comes after all heaps' locks. */
#ifndef TOFT_POOL_SEGMENTS_H
#define TOFT_POOL_SEGMENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOFT_SEGMENTS_KEPT_BYTES ((size_t)16 << 20)

/* A mapping of just so many bytes, aligned as asked; NULL where none is kept. Of a segment, units
   without a bit in *touched_units are as the system mapped them; of other lengths it says nothing.
   All other contents are unspecified, the first unit's among them: records in it may still describe
   the spans of a destroyed pool. */
void *toft_segments_take(size_t bytes, size_t alignment, unsigned *touched_units);

/* Keeps such a mapping of the system's, and writes to its first bytes alone. False where enough is
   kept, or where it is shorter than a segment. */
bool toft_segments_give(void *memory, size_t bytes, unsigned touched_units);

/* Whether there are segments: a hint, since others take and give meanwhile. */
bool toft_segments_keep_any(void);

/* Gives back what has been idle for a while. To be called now and then, with no lock held. */
void toft_segments_decay(uint64_t now_ms);

/* Gives all of it back. */
void toft_segments_trim(void);

/* For a fork. */
void toft_segments_lock(void);
void toft_segments_unlock(void);

#endif
