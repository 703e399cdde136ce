/* SPDX-License-Identifier: MIT */
#include "pool/span.h"

#include <string.h>

#include "base/bits.h"
#include "base/check.h"

bool toft_span_is_sound(const toft_span *span) {
    unsigned free_slots = 0, words = (span->slots + 63U) / 64;
    for (unsigned word = 0; word < words; word++) {
        if (word < span->lowest_word && span->free_bits[word] != 0) return false;
        free_slots += (unsigned)__builtin_popcountll(span->free_bits[word]);
    }
    return span->units != 0 && span->size_class < TOFT_POOL_CLASSES &&
           span->slots <= TOFT_SPAN_SLOTS_MAX && free_slots == span->free_slots;
}

void toft_segment_forget_spans(toft_segment *segment) {
    for (unsigned i = 0; i < TOFT_SEGMENT_UNITS; i++) {
        segment->spans[i].units = 0;
        segment->spans[i].prev = NULL;
    }
}

static uint16_t slots_in(size_t bytes, size_t slot_bytes) {
    size_t slots = bytes / slot_bytes;
    return (uint16_t)(slots < TOFT_SPAN_SLOTS_MAX ? slots : TOFT_SPAN_SLOTS_MAX);
}

toft_span_shape toft_span_shape_of(unsigned size_class) {
    size_t slot_bytes = toft_slot_bytes(size_class);
    unsigned units = toft_span_units(size_class);
    size_t span_bytes = units * TOFT_UNIT_BYTES;
    return (toft_span_shape){
        .reciprocal = (uint32_t)((((uint64_t)1 << 32) + slot_bytes - 1) / slot_bytes),
        .slots = slots_in(span_bytes, slot_bytes),
        .slots_in_unit_0 = slots_in(span_bytes - TOFT_SEGMENT_HEADER_BYTES, slot_bytes),
        .size_class = (uint8_t)size_class,
        .units = (uint8_t)units,
    };
}

/* How far behind a span's begin its first slot lies. Of larger objects the begin is often used more
   than the rest. Where begins lie some KiB apart, always the same, they share few sets of a cache,
   and push each other out: a database's pages, say. So each span begins at another line, as far as
   it has memory to spare. J. Bonwick calls that colouring (The Slab Allocator, USENIX 1994). */
static size_t colour_bytes(const char *begin, size_t spare_bytes, const toft_span_shape *shape) {
    enum { colours_max = 64 }; /* a page of lines: all sets of a core's first cache */
    if (!toft_is_coloured(shape->size_class)) return 0;
    size_t colours = toft_min(spare_bytes / TOFT_POOL_LINE_BYTES + 1, colours_max);
    size_t nth = (uintptr_t)begin / TOFT_UNIT_BYTES / shape->units;
    return nth % colours * TOFT_POOL_LINE_BYTES;
}

toft_span *toft_span_init(toft_segment *segment, unsigned first, const toft_span_shape *shape) {
    toft_span *span = &segment->spans[first];
    unsigned slots = first == 0 ? shape->slots_in_unit_0 : shape->slots;
    size_t header_bytes = first == 0 ? TOFT_SEGMENT_HEADER_BYTES : 0;
    char *begin = (char *)segment + first * TOFT_UNIT_BYTES + header_bytes;
    size_t spare_bytes =
        shape->units * TOFT_UNIT_BYTES - header_bytes - slots * toft_slot_bytes(shape->size_class);
    span->units = shape->units;
    span->size_class = shape->size_class;
    span->start = begin + colour_bytes(begin, spare_bytes, shape);
    span->reciprocal = shape->reciprocal;
    span->prev = NULL;
    span->next = NULL;
    span->slots = (uint16_t)slots;
    span->free_slots = (uint16_t)slots;
    span->lowest_word = 0;
    span->owned = false;
    unsigned words = (slots + 63) / 64;
    memset(span->free_bits, 0xff, words * sizeof *span->free_bits);
    if (slots % 64 != 0) span->free_bits[words - 1] = ((uint64_t)1 << slots % 64) - 1;

    for (unsigned i = 1; i < span->units; i++) {
        span[i].units = 0;
        span[i].prev = span;
    }
    return span;
}

/* As in a span that is fresh again. */
static inline bool are_neighbours(uint64_t bits) { return (((bits | (bits - 1)) + 1) & bits) == 0; }

/* Take slots of one word, whose first is at start, into *top and below, the lowest first, until
   base is reached. Return the word's bits without theirs. */
static inline uint64_t take_neighbours(uint64_t bits, char *start, size_t slot_bytes, void ***top,
                                       void **base) {
    unsigned first = (unsigned)__builtin_ctzll(bits), end = 64U - (unsigned)__builtin_clzll(bits);
    unsigned count = (unsigned)toft_min(end - first, (size_t)(*top - base));
    char *slot = start + first * slot_bytes;
    for (unsigned i = 0; i < count; i++, slot += slot_bytes) *(*top)-- = slot;
    return bits & ~(~(uint64_t)0 >> (64 - count) << first);
}
static inline uint64_t take_scattered(uint64_t bits, char *start, size_t slot_bytes, void ***top,
                                      void **base) {
    for (; bits != 0 && *top != base; bits &= bits - 1)
        *(*top)-- = start + (unsigned)__builtin_ctzll(bits) * slot_bytes;
    return bits;
}

unsigned toft_span_take(toft_span *span, unsigned count, void **base) {
    TOFT_ASSERT(toft_span_is_sound(span));
    if (count > span->free_slots) count = span->free_slots;
    size_t slot_bytes = toft_slot_bytes(span->size_class);
    unsigned word = span->lowest_word;
    void **top = base + count;
    while (top != base) {
        uint64_t bits = span->free_bits[word];
        char *start = span->start + word * 64 * slot_bytes;
        if (bits == 0)
            word++;
        else if (are_neighbours(bits))
            span->free_bits[word] = take_neighbours(bits, start, slot_bytes, &top, base);
        else
            span->free_bits[word] = take_scattered(bits, start, slot_bytes, &top, base);
    }
    span->lowest_word = (uint16_t)word;
    span->free_slots = (uint16_t)(span->free_slots - count);
    TOFT_ASSERT(toft_span_is_sound(span));
    return count;
}
