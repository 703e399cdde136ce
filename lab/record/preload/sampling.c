/* SPDX-License-Identifier: MIT */
#include "sampling.h"

#include "fresh_memory.h"
#include "output.h"
#include "recorder.h"

#include <string.h>
#include <sys/mman.h>

/* A bucket is one line of the cache: looking for what isn't there costs one miss for each table,
 * and most programs need the first one alone. What finds its bucket full goes to the next table,
 * which is eight times as large; all of them have room for four million objects, in 36 MiB. */
enum {
    bucket_size = 8,
    bucket_bytes = 64,
    first_buckets = 1 << 13,
    growth_bits = 3,
    table_most = 3
};

typedef _Atomic uintptr_t bucket[bucket_size]; /* addresses of what is followed; 0: free */

enum sampling sampling;
_Atomic uint8_t followed_filter[filter_size];
__thread uint64_t bytes_until_chosen __attribute__((tls_model("initial-exec")));

static __thread uint64_t random_state __attribute__((tls_model("initial-exec")));
static uint64_t mean_bytes;

static _Alignas(bucket_bytes) bucket first_table[first_buckets];
static _Atomic(bucket *) tables[table_most] = {first_table}; /* NULL: not needed yet */

void start_sampling(uint64_t bytes) {
    mean_bytes = bytes;
    sampling = bytes ? sampling_some : sampling_none;
}

/* Threads that begin one after the other, in the same memory, get seeds that have nothing in
 * common. */
static uint64_t random_seed(void) {
    uint64_t seed = ticks_now() ^ (uintptr_t)&random_state;
    for (int i = 0; i < 2; ++i) {
        seed *= 0x9e3779b97f4a7c15u;
        seed ^= seed >> 32;
    }
    return seed;
}

static uint64_t next_random(void) {
    if (random_state == 0) random_state = random_seed();
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* The natural logarithm, right to a ten-millionth, and never positive for what is at most 1:
 * without libm, which the program may not have. */
static double ln_of(double x) {
    const double ln2 = 0.6931471805599453, sqrt2 = 1.4142135623730951;
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int exponent = (int)(bits >> 52) - 1023;
    bits = (bits & 0xfffffffffffffu) | UINT64_C(1023) << 52;
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > sqrt2) {
        m /= 2;
        ++exponent;
    }
    const double s = (m - 1) / (m + 1), square = s * s;
    return exponent * ln2 + 2 * s * (1 + square * (1. / 3 + square * (1. / 5 + square / 7)));
}

/* Distances between bytes that are chosen independently of each other are distributed so. */
static uint64_t distance_of(uint64_t random) {
    const double uniform = (double)((random >> 11) + 1) * 0x1p-53; /* above 0, and at most 1 */
    const double distance = -ln_of(uniform) * (double)mean_bytes;
    return 1 + (uint64_t)(distance < 4e18 ? distance : 4e18);
}

static uint64_t next_distance(void) { return distance_of(next_random()); }

static size_t bucket_count(unsigned table) {
    return (size_t)first_buckets << (growth_bits * table);
}

/* Puts `to` where `from` is, in the bucket of this hash. Only a place that seems to fit is
 * tried. */
static bool exchange(unsigned table, uint64_t hash, uintptr_t from, uintptr_t to) {
    bucket *all = atomic_load_explicit(&tables[table], memory_order_acquire);
    _Atomic uintptr_t *places = all[hash % bucket_count(table)];
    for (size_t i = 0; i < bucket_size; ++i) {
        uintptr_t expected = from;
        if (atomic_load_explicit(&places[i], memory_order_relaxed) == from &&
            atomic_compare_exchange_strong(&places[i], &expected, to))
            return true;
    }
    return false;
}

/* False: there is no memory for the table. */
static bool make_table(unsigned table) {
    if (atomic_load(&tables[table])) return true;
    const size_t bytes = bucket_count(table) * sizeof(bucket);
    void *memory = fresh_memory(bytes);
    if (!memory) return false;
    bucket *none = NULL;
    if (!atomic_compare_exchange_strong(&tables[table], &none, memory)) munmap(memory, bytes);
    return true;
}

static void count_in_filter(uint64_t hash, int change) {
    _Atomic uint8_t *count = &followed_filter[hash % filter_size];
    uint8_t was = atomic_load(count);
    while (was != UINT8_MAX &&
           !atomic_compare_exchange_weak(count, &was, (uint8_t)(was + change))) {}
}

bool follow(const void *object) {
    const uint64_t hash = address_hash(object);
    for (unsigned table = 0; table < table_most && make_table(table); ++table) {
        if (!exchange(table, hash, 0, (uintptr_t)object)) continue;
        count_in_filter(hash, 1);
        return true;
    }
    count_missed();
    return false;
}

bool was_followed_slow(const void *object) {
    const uint64_t hash = address_hash(object);
    for (unsigned table = 0; table < table_most && atomic_load(&tables[table]); ++table) {
        if (!exchange(table, hash, (uintptr_t)object, 0)) continue;
        count_in_filter(hash, -1);
        return true;
    }
    return false;
}

bool is_chosen_slow(const void *object, size_t bytes) {
    if (sampling == sampling_unknown) start_recorder();
    if (sampling != sampling_some) return true;
    const bool is_first = random_state == 0; /* a thread begins without a distance */
    if (is_first) bytes_until_chosen = next_distance();
    if (is_first && is_passed_over(bytes)) return false;
    bytes_until_chosen = next_distance();
    return follow(object);
}
