/* SPDX-License-Identifier: MIT */
/* The process's map of its address space: what the pools' memory holds, by address: see
 * <toft/detail/pool_any.h> for small objects.
 *
 * The unit of a large object has the byte 0, but the map knows exactly where the object starts. At
 * most one starts in a unit, since each reaches to the end of a unit or beyond. Where a pool's
 * upstream is another pool, the outer pool's object starts where the inner pool's memory does: the
 * newer of the two then keeps the entry of the older.
 *
 * Threads: entries are written for memory that the caller alone has, and read by whoever knows of
 * an object. Nothing here takes a lock, so that nothing is to be done at a fork. */
#ifndef TOFT_POOL_MAP_H
#define TOFT_POOL_MAP_H

#include <toft/pool.h>

#define TOFT_MAP_UNIT_BYTES ((size_t)1 << TOFT_POOL_MAP_UNIT_BITS)
#define TOFT_MAP_UNITS ((size_t)1 << (TOFT_POOL_MAP_LEAF_BITS - TOFT_POOL_MAP_UNIT_BITS))

/* A leaf has 1.5 MiB of addresses. The system spends memory on those of its pages that describe a
   pool's memory: 4 KiB for 128 MiB of small objects, and for 64 MiB of large ones. */
typedef struct toft_map_leaf {
    unsigned char classes[TOFT_MAP_UNITS];
    uint16_t large[TOFT_MAP_UNITS]; /* toft_map_step of the large object that starts there, or 0 */
} toft_map_leaf;

/* Makes the map reach to all of the memory. False for want of memory, and for addresses beyond 48
   bits, which systems give to those alone who ask for them. */
bool toft_map_reserve(const void *memory, size_t bytes);

/* For memory that moves while nothing may fail: what to take before, and to give back after it,
   with where an object then starts. NULL for want of memory. */
void *toft_map_take_spare(void);
void toft_map_give_spare(void *spare, const void *moved);

/* What lies in some units from an address on: objects of a class, or nothing. */
void toft_map_set_class(const void *memory, unsigned units, unsigned size_class);
void toft_map_set_nothing(const void *memory, size_t bytes);

/* A large object, aligned to TOFT_MAP_LARGE_ALIGNMENT, starts at an address. Returns what to give
   back to toft_map_remove_large. */
#define TOFT_MAP_LARGE_ALIGNMENT ((size_t)64)
uint16_t toft_map_add_large(const void *object);
void toft_map_remove_large(const void *object, uint16_t before);
/* The first that starts behind memory, which is none, and before its end; or NULL. */
void *toft_map_find_large(const void *memory, size_t bytes);
/* The last that starts at an address or below it, as far as there are no small objects between; or
   NULL. Looks no further than a leaf reaches. */
void *toft_map_find_large_down(const void *address);

/* When the library is unloaded: gives the map back. */
void toft_map_unload(void);

/* Addresses of more than 48 bits lie beyond the map. */
static inline uintptr_t toft_map_find_leaf(const void *address) {
    bool beyond = (uint64_t)(uintptr_t)address >> 48 != 0;
    return beyond ? 0 : toft_pool_map_leaf(address);
}

/* The byte of any address: see <toft/detail/pool_any.h>. */
static inline unsigned toft_map_byte(const void *address) {
    uintptr_t leaf = toft_map_find_leaf(address);
    return leaf == 0 ? 0 : toft_pool_map_byte(leaf, address);
}

/* The small objects' class at an address, or -1. */
static inline int toft_map_class(const void *address) { return (int)toft_map_byte(address) - 1; }

/* What a leaf's address has less in the map. */
static inline uintptr_t toft_map_bias(size_t entry) { return (uintptr_t)(entry * TOFT_MAP_UNITS); }

/* The leaf to which the address's entry leads, which is not 0. */
static inline toft_map_leaf *toft_map_leaf_in(uintptr_t found, const void *address) {
    size_t entry = (size_t)((uint64_t)(uintptr_t)address >> TOFT_POOL_MAP_LEAF_BITS);
    return (toft_map_leaf *)(found + toft_map_bias(entry));
}

static inline toft_map_leaf *toft_map_leaf_of(const void *address) {
    return toft_map_leaf_in(toft_pool_map_leaf(address), address);
}

static inline size_t toft_map_unit(const void *address) {
    return ((uintptr_t)address >> TOFT_POOL_MAP_UNIT_BITS) % TOFT_MAP_UNITS;
}

static inline uint16_t *toft_map_large_at(const void *address) {
    return &toft_map_leaf_of(address)->large[toft_map_unit(address)];
}

/* Where in its unit an address is, in steps of TOFT_MAP_LARGE_ALIGNMENT, from one on. */
static inline uint16_t toft_map_step(const void *address) {
    size_t offset = (uintptr_t)address % TOFT_MAP_UNIT_BYTES;
    return (uint16_t)(offset / TOFT_MAP_LARGE_ALIGNMENT + 1);
}

/* Whether a large object starts exactly there. How the address is aligned is looked at last: of
   many objects that is hard to foresee, and few lie where a large one starts. */
static inline bool toft_map_large_in(uintptr_t found, const void *address) {
    const uint16_t *at = &toft_map_leaf_in(found, address)->large[toft_map_unit(address)];
    return __atomic_load_n(at, __ATOMIC_RELAXED) == toft_map_step(address) &&
           (uintptr_t)address % TOFT_MAP_LARGE_ALIGNMENT == 0;
}
static inline bool toft_map_has_large(const void *address) {
    uintptr_t found = toft_map_find_leaf(address);
    return found != 0 && toft_map_large_in(found, address);
}

/* Whether it is a small object's address, or a large one's. */
static inline bool toft_map_has_object(const void *address) {
    uintptr_t found = toft_map_find_leaf(address);
    return found != 0 &&
           (toft_pool_map_byte(found, address) != 0 || toft_map_large_in(found, address));
}

#endif
