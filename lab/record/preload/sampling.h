/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_SAMPLING_H
#define TOFT_LAB_RECORD_SAMPLING_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which objects are recorded: all, or one byte in so many chooses the object that it is in. Those
 * that are chosen are followed until they go. All others cost a subtraction when they come and a
 * look at a small table when they go. */

enum sampling { sampling_unknown, sampling_none, sampling_some };

enum { filter_size = 1 << 14 };

extern enum sampling sampling;
/* How many followed objects have an address with this hash; one that is full stays so. */
extern _Atomic uint8_t followed_filter[filter_size];
/* Bytes until the next one that chooses; 0 unless some are chosen. */
extern __thread uint64_t bytes_until_chosen __attribute__((tls_model("initial-exec")));

static inline uint64_t address_hash(const void *object) {
    return (uintptr_t)object * 0x9e3779b97f4a7c15u >> 20;
}

/* One byte in so many; 0: every object. */
void start_sampling(uint64_t bytes);

bool is_chosen_slow(const void *object, size_t bytes);
bool was_followed_slow(const void *object);

/* No byte of an object of this size is the one that chooses. The heap has been looked up then. */
static inline bool is_passed_over(size_t bytes) {
    if (bytes >= bytes_until_chosen) return false;
    bytes_until_chosen -= bytes;
    return true;
}

/* Whether a new object is recorded. */
static inline bool is_chosen(const void *object, size_t bytes) {
    if (sampling == sampling_none) return true;
    return !is_passed_over(bytes) && is_chosen_slow(object, bytes);
}

/* False: an object at this address isn't recorded, for sure, and the heap has been looked up. */
static inline bool may_be_followed(const void *object) {
    if (__builtin_expect(sampling != sampling_some, false)) return true;
    const _Atomic uint8_t *followed = &followed_filter[address_hash(object) % filter_size];
    return atomic_load_explicit(followed, memory_order_relaxed) != 0;
}

/* Whether an object that goes was recorded when it came. It isn't followed any longer. */
static inline bool was_followed(const void *object) {
    if (sampling == sampling_none) return true;
    return may_be_followed(object) && was_followed_slow(object);
}

/* Follows an object whatever its size: one that was followed and has moved. */
bool follow(const void *object);

#endif
