/* SPDX-License-Identifier: MIT */
/* Tells AddressSanitizer, LeakSanitizer and Valgrind which of our bytes are whose.
 *
 * The sanitizers are called through weak symbols: a library built without them still tells them of
 * its memory when the program that it is linked into is built with them. Valgrind is asked at run
 * time, if its headers were there when the library was built. While either of them tracks memory,
 * the strategies let no call take an inlined path, so that each allocation passes through here and
 * is surrounded by poisoned bytes. */
#ifndef TOFT_OS_TRACKING_H
#define TOFT_OS_TRACKING_H

#include <stdbool.h>
#include <stddef.h>

#include <toft/config.h>

/* How many poisoned bytes lie in front of each object, and at the end of each chunk, while a tool
   tracks memory. */
#define TOFT_REDZONE_BYTES ((size_t)16)

/* True where a tool tracks memory. The tools are asked once in a process; from then on this is one
   load and a comparison. Threads that ask at the same time all get the same answer, so that relaxed
   order is enough. */
enum { toft_tracking_unknown, toft_tracking_on, toft_tracking_off };
extern signed char toft_tracking_state;
bool toft_tracking_slow(void);

static inline bool toft_tracking(void) {
    return TOFT_UNLIKELY(__atomic_load_n(&toft_tracking_state, __ATOMIC_RELAXED) !=
                         toft_tracking_off) &&
           toft_tracking_slow();
}

/* So many where a tool tracks memory, else 0. */
static inline size_t toft_redzone_bytes(void) { return toft_tracking() ? TOFT_REDZONE_BYTES : 0; }

/* bytes at memory belong to nobody: touching them is an error. */
void toft_track_free(const void *memory, size_t bytes);

/* bytes at memory are a new, uninitialised object. */
void toft_track_allocated(const void *memory, size_t bytes);

/* An object at memory has bytes bytes now: the first kept_bytes keep their contents, and what
   follows is uninitialised. */
void toft_track_resized(const void *memory, size_t kept_bytes, size_t bytes);

/* bytes at memory may be read, and have the contents that were written there last. */
void toft_track_readable(const void *memory, size_t bytes);

/* A word that is kept among poisoned bytes, beside an object. */
static inline void toft_track_write_word(size_t *kept, size_t word) {
    toft_track_readable(kept, sizeof *kept);
    *kept = word;
    toft_track_free(kept, sizeof *kept);
}
static inline size_t toft_track_read_word(size_t *kept) {
    toft_track_readable(kept, sizeof *kept);
    size_t word = *kept;
    toft_track_free(kept, sizeof *kept);
    return word;
}

/* Whether the byte at memory is poisoned. False where no tool could tell. */
bool toft_track_is_free(const void *memory);

/* The leak checker must search this memory for pointers; or no longer. */
void toft_track_chunk(const void *memory, size_t bytes);
void toft_forget_chunk(const void *memory, size_t bytes);

#endif
