/* SPDX-License-Identifier: MIT */
/* How much memory may lie idle, by what a program has done lately. A program that works in rounds
 * frees its memory and soon asks for as much again; new page faults would cost it more than its
 * work. One that has done with its memory should not keep it. The two differ in what they do next:
 * what was given back as too much, and was mapped again within a step of decay, is wanted, and so
 * much may lie idle as long as it is used again. */
#ifndef TOFT_POOL_IDLE_H
#define TOFT_POOL_IDLE_H

#include "base/decay.h"
#include "os/os.h"

/* The most that was in use until lately: since the last step of decay, and in the step before. */
typedef struct toft_high {
    size_t bytes;
    size_t before_bytes;
} toft_high;

static inline void toft_high_note(toft_high *high, size_t used_bytes) {
    high->bytes = toft_max(high->bytes, used_bytes);
}

static inline size_t toft_high_bytes(const toft_high *high) {
    return toft_max(high->bytes, high->before_bytes);
}

static inline void toft_high_step(toft_high *high, size_t used_bytes, unsigned halvings) {
    high->before_bytes = halvings == 1 ? high->bytes : used_bytes;
    high->bytes = used_bytes;
}

typedef struct toft_idle {
    toft_high high;
    size_t shed_bytes;   /* given back since the last step, and not mapped again */
    uint64_t shed_at_ms; /* the last time */
    size_t reused_bytes; /* idle, and then used again, since the last step */
    size_t wanted_bytes; /* see above */
} toft_idle;

/* So much of what is wanted may lie idle however little was in use. */
#define TOFT_IDLE_WANTED_BYTES ((size_t)48 << 20)

static inline void toft_idle_note_used(toft_idle *idle, size_t used_bytes) {
    toft_high_note(&idle->high, used_bytes);
}

static inline void toft_idle_note_shed(toft_idle *idle, size_t bytes) {
    if (bytes == 0) return;
    idle->shed_bytes += bytes;
    idle->shed_at_ms = toft_os_milliseconds();
}

/* What was given back a moment ago, and not mapped again. A program that rests makes no steps: what
   it gave back before its rest isn't wanted. */
static inline size_t toft_idle_shed_lately_bytes(const toft_idle *idle) {
    if (idle->shed_bytes == 0) return 0;
    return toft_os_milliseconds() - idle->shed_at_ms > toft_decay_step_ms ? 0 : idle->shed_bytes;
}

static inline void toft_idle_note_mapped(toft_idle *idle, size_t bytes) {
    if (bytes == 0) return;
    idle->shed_bytes = toft_idle_shed_lately_bytes(idle);
    size_t again_bytes = toft_min(bytes, idle->shed_bytes);
    idle->shed_bytes -= again_bytes;
    idle->wanted_bytes += again_bytes;
    idle->reused_bytes += again_bytes;
}

static inline void toft_idle_note_reused(toft_idle *idle, size_t bytes) {
    idle->reused_bytes += bytes;
}

/* What a program that works in rounds will ask for again. */
static inline size_t toft_idle_wanted_bytes(const toft_idle *idle) {
    return toft_min(idle->wanted_bytes,
                    toft_max(toft_high_bytes(&idle->high), TOFT_IDLE_WANTED_BYTES));
}

/* A step of decay, of so many halvings. */
static inline void toft_idle_step(toft_idle *idle, size_t used_bytes, unsigned halvings) {
    size_t wanted_bytes = toft_idle_wanted_bytes(idle);
    size_t reused_bytes = halvings == 1 ? idle->reused_bytes : 0; /* else long ago, perhaps */
    size_t unused_bytes = wanted_bytes - toft_min(wanted_bytes, reused_bytes);
    idle->wanted_bytes = wanted_bytes - toft_decay_share(unused_bytes, halvings);
    toft_high_step(&idle->high, used_bytes, halvings);
    idle->shed_bytes = 0;
    idle->reused_bytes = 0;
}

#endif
