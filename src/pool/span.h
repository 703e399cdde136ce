/* SPDX-License-Identifier: MIT */
/* A span: a run of units cut into slots of one class, with a bit for each free slot.
 *
 *     segment, aligned to its size: its spans' records, then the units they describe
 *    +---------------------+-----------+-----------+-----------+-- - --+
 *    | span[0] .. span[15] | rest of 0 | unit 1    | unit 2    |       |
 *    +---------------------+-----------+-----------+-----------+-- - --+
 *    |<----- 8 KiB ------->|
 *
 * A slot's segment is found by masking its address; a free slot itself is never read nor
 * written, so that freeing does not fetch it into the cache, and an overrun can't lead the pool
 * astray. */
#ifndef TOFT_POOL_SPAN_H
#define TOFT_POOL_SPAN_H

#include <assert.h>

#include "pool/size_class.h"

#define TOFT_SEGMENT_UNITS 16U
#define TOFT_SEGMENT_BYTES (TOFT_SEGMENT_UNITS * TOFT_UNIT_BYTES)
#define TOFT_SEGMENT_HEADER_BYTES ((size_t)8 << 10)
#define TOFT_SPAN_BIT_WORDS 54U
#define TOFT_SPAN_SLOTS_MAX (TOFT_SPAN_BIT_WORDS * 64)

/* What the spans of a class have in common. Computed once for each class and pool, since it takes
   some divisions. */
typedef struct toft_span_shape {
    uint32_t reciprocal; /* of the slot's size, for toft_span_slot_index */
    uint16_t slots;
    uint16_t slots_in_unit_0; /* a span that starts there is shorter by the segment's header */
    uint8_t size_class;
    uint8_t units; /* 0: not computed yet */
} toft_span_shape;

toft_span_shape toft_span_shape_of(unsigned size_class);

typedef struct toft_span {
    struct toft_span *prev, *next; /* in the list of its depot's spans with free slots */
    char *start;                   /* where slot 0 begins */
    uint32_t reciprocal;           /* 2^32 divided by the slot's size, for toft_span_slot_index */
    uint16_t slots;
    uint16_t free_slots;
    uint16_t lowest_word; /* no bit is set in earlier words */
    uint8_t size_class;
    uint8_t units;     /* 0: the record describes no span */
    bool owned;        /* one cache alone takes from it, and it is in no list */
    uint16_t pool_tag; /* the lowest bits of its pool's id, beside what a free reads anyway */
    uint64_t free_bits[TOFT_SPAN_BIT_WORDS];
} toft_span;

/* Segments that came from the upstream as one; described in the first of them. */
typedef struct toft_block {
    struct toft_block *prev, *next; /* of the heap's blocks that hold spans, or of the others */
    size_t bytes;
    unsigned segments;
    unsigned used_units;
    bool is_there;    /* in a huge page, which the system gave at the first touch */
    bool is_ordinary; /* it had huge pages, and some of it went back: see heap_idle.c */
    bool is_sparse;   /* never to have huge pages: its slots may stay untouched, see heap.c */
} toft_block;

/* What its first units need lies in one page: a small process touches no other. */
typedef struct toft_segment {
    struct toft_segment *prev, *next; /* where spans of the same length fit, if any does */
    toft_pool *pool;
    toft_block *block;
    uint16_t free_units;    /* a bit for each */
    uint16_t dirty_units;   /* those of free_units whose physical memory may be spent */
    uint16_t touched_units; /* all others are as the system mapped them */
    toft_block block_here;
    toft_span spans[TOFT_SEGMENT_UNITS];
} toft_segment;
static_assert(sizeof(toft_segment) <= TOFT_SEGMENT_HEADER_BYTES, "spans would overlap the header");

static inline toft_segment *toft_segment_of(const void *slot) {
    return (toft_segment *)((uintptr_t)slot & ~(uintptr_t)(TOFT_SEGMENT_BYTES - 1));
}

static inline char *toft_unit_at(toft_segment *segment, unsigned index) {
    return (char *)segment + index * TOFT_UNIT_BYTES;
}

/* Each unit of a longer span but the first has a record whose prev points to the span. NULL for a
   unit that no span has had since the segment came. */
static inline toft_span *toft_span_of(const void *slot) {
    toft_segment *segment = toft_segment_of(slot);
    toft_span *span =
        &segment->spans[((uintptr_t)slot & (TOFT_SEGMENT_BYTES - 1)) / TOFT_UNIT_BYTES];
    return span->units != 0 ? span : span->prev;
}

/* The reciprocal is rounded up by less than 1, and an offset is a multiple of the slot's size: the
   error stays below 1 as long as the index times the slot's size does not reach 2^32. */
static inline unsigned toft_span_slot_index(const toft_span *span, const void *slot) {
    uint64_t offset = (uint64_t)((const char *)slot - span->start);
    return (unsigned)((offset * span->reciprocal) >> 32);
}

/* In memory of whatever contents: no record describes a span. */
void toft_segment_forget_spans(toft_segment *segment);

/* Cuts units of a segment, from index first on, into free slots. */
toft_span *toft_span_init(toft_segment *segment, unsigned first, const toft_span_shape *shape);

/* Takes up to count free slots into base[1], base[2], ..., the lowest address last. Returns how
   many. */
unsigned toft_span_take(toft_span *span, unsigned count, void **base);

/* The bits agree with the counts. */
bool toft_span_is_sound(const toft_span *span);

static inline bool toft_span_is_empty(const toft_span *span) {
    return span->free_slots == span->slots;
}

/* All of its slots together. */
static inline size_t toft_span_bytes(const toft_span *span) {
    return span->slots * toft_slot_bytes(span->size_class);
}

static inline bool toft_span_contains(const toft_span *span, const void *slot) {
    return (uintptr_t)slot - (uintptr_t)span->start < toft_span_bytes(span);
}

/* Gives back so many slots whose bits are in one word, which is to be that then. */
static inline void toft_span_give(toft_span *span, unsigned word, uint64_t bits, unsigned count) {
    span->free_bits[word] = bits;
    if (word < span->lowest_word) span->lowest_word = (uint16_t)word;
    span->free_slots = (uint16_t)(span->free_slots + count);
}

#endif
