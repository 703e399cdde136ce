/* SPDX-License-Identifier: MIT */
/* Tells AddressSanitizer, LeakSanitizer and Valgrind which of our bytes are whose.
 *
 * The sanitizers' entry points are weak: a library built without them still annotates its memory
 * when the program it is linked into is built with them. Valgrind is asked at run time, if its
 * headers were there when the library was built. While either watches, strategies keep their
 * inlined paths shut, so that each allocation passes through here and is surrounded by poisoned
 * bytes. */
#ifndef TOFT_BASE_TRACKING_H
#define TOFT_BASE_TRACKING_H

#include <stdbool.h>
#include <stddef.h>

#include <toft/config.h>

/* Poisoned bytes in front of each object while tracking; keeps objects aligned to 8. */
#define TOFT_REDZONE_BYTES ((size_t)16)

/* True where a tool watches: asked once per process, one load and compare from then on. Threads
   that ask at once all find the same answer, so that relaxed order does. */
enum { toft_tracking_unknown, toft_tracking_on, toft_tracking_off };
extern signed char toft_tracking_state;
bool toft_tracking_slow(void);

static inline bool toft_tracking(void) {
    return TOFT_UNLIKELY(__atomic_load_n(&toft_tracking_state, __ATOMIC_RELAXED) !=
                         toft_tracking_off) &&
           toft_tracking_slow();
}

/* bytes at memory belong to nobody: touching them is an error. */
void toft_track_free(const void *memory, size_t bytes);

/* bytes at memory are a new, uninitialised object. */
void toft_track_allocated(const void *memory, size_t bytes);

/* The first kept bytes at memory go on with their contents, the next new ones begin. */
void toft_track_resized(const void *memory, size_t kept_bytes, size_t bytes);

/* bytes at memory may be read, and hold what was written there last. */
void toft_track_readable(const void *memory, size_t bytes);

/* Whether the byte at memory is poisoned. False where no tool could tell. */
bool toft_track_is_free(const void *memory);

/* Memory that the leak checker must search for pointers, and no longer. */
void toft_track_chunk(const void *memory, size_t bytes);
void toft_forget_chunk(const void *memory, size_t bytes);

#endif
