/* SPDX-License-Identifier: MIT */
#include "pool/span.h"

#include <string.h>

toft_span *toft_span_init(toft_segment *segment, unsigned first, unsigned size_class) {
    toft_span *span = &segment->spans[first];
    size_t slot_bytes = toft_slot_bytes(size_class);
    size_t skipped_bytes = first == 0 ? TOFT_SEGMENT_HEADER_BYTES : 0;
    span->units = (uint8_t)toft_span_units(size_class);
    span->size_class = (uint8_t)size_class;
    span->start = (char *)segment + first * TOFT_UNIT_BYTES + skipped_bytes;
    span->reciprocal = (uint32_t)((((uint64_t)1 << 32) + slot_bytes - 1) / slot_bytes);
    span->prev = NULL;
    span->next = NULL;

    size_t slots = (span->units * TOFT_UNIT_BYTES - skipped_bytes) / slot_bytes;
    if (slots > TOFT_SPAN_SLOTS_MAX) slots = TOFT_SPAN_SLOTS_MAX;
    span->slots = (uint16_t)slots;
    span->free_slots = (uint16_t)slots;
    span->lowest_word = 0;
    span->owned = false;
    size_t words = (slots + 63) / 64;
    memset(span->free_bits, 0xff, words * sizeof *span->free_bits);
    if (slots % 64 != 0) span->free_bits[words - 1] = ((uint64_t)1 << slots % 64) - 1;

    for (unsigned i = 1; i < span->units; i++) {
        span[i].units = 0;
        span[i].prev = span;
    }
    return span;
}

unsigned toft_span_take(toft_span *span, unsigned count, void **base) {
    if (count > span->free_slots) count = span->free_slots;
    size_t slot_bytes = toft_slot_bytes(span->size_class);
    unsigned word = span->lowest_word;
    uint64_t bits = count == 0 ? 0 : span->free_bits[word];
    for (unsigned taken = 0; taken < count; taken++) {
        while (bits == 0) {
            span->free_bits[word] = 0;
            bits = span->free_bits[++word];
        }
        size_t index = word * 64 + (unsigned)__builtin_ctzll(bits);
        base[count - taken] = span->start + index * slot_bytes;
        bits &= bits - 1;
    }
    if (count != 0) span->free_bits[word] = bits;
    span->lowest_word = (uint16_t)word;
    span->free_slots = (uint16_t)(span->free_slots - count);
    return count;
}

unsigned toft_span_give(toft_span *span, void **top, void **freed_twice) {
    const uintptr_t start = (uintptr_t)span->start;
    const size_t bytes = toft_slot_bytes(span->size_class) * span->slots;
    unsigned lowest_word = span->lowest_word;
    unsigned given = 0;
    for (void **place = top; (uintptr_t)*place - start < bytes; place--, given++) {
        unsigned index = toft_span_slot_index(span, *place);
        unsigned word = index / 64;
        uint64_t bit = (uint64_t)1 << index % 64;
        if (TOFT_UNLIKELY((span->free_bits[word] & bit) != 0)) {
            *freed_twice = *place;
            break;
        }
        span->free_bits[word] |= bit;
        lowest_word = word < lowest_word ? word : lowest_word;
    }
    span->lowest_word = (uint16_t)lowest_word;
    span->free_slots = (uint16_t)(span->free_slots + given);
    return given;
}
