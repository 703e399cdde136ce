/* SPDX-License-Identifier: MIT */
#include "pool/map.h"

#include "base/bits.h"
#include "os/os.h"

uintptr_t toft_pool_map[TOFT_POOL_MAP_ENTRIES];

static size_t leaf_bytes(void) {
    return toft_align_up(sizeof(toft_map_leaf), toft_os_page_bytes());
}

static toft_map_leaf *map_leaf(void) {
    return toft_os_map_ordinary(leaf_bytes(), toft_os_page_bytes());
}

/* False where another thread was first. Relaxed, as toft_pool_map_leaf says. */
static bool add_leaf(uint64_t entry, toft_map_leaf *leaf) {
    uintptr_t expected = 0;
    return __atomic_compare_exchange_n(&toft_pool_map[entry], &expected,
                                       (uintptr_t)leaf - toft_map_bias((size_t)entry), false,
                                       __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

/* Looks by exchanging nothing for nothing: a page of the map that is read before it is written
   costs two page faults, and every process writes its first one. */
static bool has_leaf(uint64_t entry) {
    uintptr_t nothing = 0;
    return !__atomic_compare_exchange_n(&toft_pool_map[entry], &nothing, 0, false, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED);
}

static bool reserve_entry(uint64_t entry) {
    if (TOFT_LIKELY(has_leaf(entry))) return true;
    toft_map_leaf *leaf = map_leaf();
    if (leaf == NULL) return false;
    if (!add_leaf(entry, leaf)) toft_os_unmap(leaf, leaf_bytes());
    return true;
}

bool toft_map_reserve(const void *memory, size_t bytes) {
    uint64_t first = (uint64_t)(uintptr_t)memory >> TOFT_POOL_MAP_LEAF_BITS;
    uint64_t last = ((uint64_t)(uintptr_t)memory + bytes - 1) >> TOFT_POOL_MAP_LEAF_BITS;
    if (last >= TOFT_POOL_MAP_ENTRIES) return false;
    for (uint64_t entry = first; entry <= last; entry++)
        if (!reserve_entry(entry)) return false;
    return true;
}

/* --- a spare leaf, so that moving costs no system call for it --- */

static toft_map_leaf *spare_leaf; /* or NULL */

/* Acquire and release: the leaf was mapped by another thread; it is all zero. */
void *toft_map_take_spare(void) {
    toft_map_leaf *spare = __atomic_exchange_n(&spare_leaf, NULL, __ATOMIC_ACQUIRE);
    return spare != NULL ? spare : map_leaf();
}

void toft_map_give_spare(void *spare, const void *moved) {
    uint64_t entry = (uint64_t)(uintptr_t)moved >> TOFT_POOL_MAP_LEAF_BITS;
    if (__atomic_load_n(&toft_pool_map[entry], __ATOMIC_RELAXED) == 0 && add_leaf(entry, spare))
        return;
    spare = __atomic_exchange_n(&spare_leaf, spare, __ATOMIC_ACQ_REL);
    if (spare != NULL) toft_os_unmap(spare, leaf_bytes());
}

/* --- small objects --- */

static void set(const void *memory, size_t units, unsigned char byte) {
    const char *address = memory;
    for (size_t i = 0; i < units; i++, address += TOFT_MAP_UNIT_BYTES)
        __atomic_store_n(&toft_map_leaf_of(address)->classes[toft_map_unit(address)], byte,
                         __ATOMIC_RELAXED);
}

void toft_map_set_class(const void *memory, unsigned units, unsigned size_class) {
    set(memory, units, (unsigned char)(size_class + 1));
}

void toft_map_set_nothing(const void *memory, size_t bytes) {
    set(memory, bytes / TOFT_MAP_UNIT_BYTES, 0);
}

/* --- large objects --- */

uint16_t toft_map_add_large(const void *object) {
    uint16_t before = __atomic_load_n(toft_map_large_at(object), __ATOMIC_RELAXED);
    __atomic_store_n(toft_map_large_at(object), toft_map_step(object), __ATOMIC_RELAXED);
    return before;
}

void toft_map_remove_large(const void *object, uint16_t before) {
    __atomic_store_n(toft_map_large_at(object), before, __ATOMIC_RELAXED);
}

/* Where a large object starts in a unit, or 0. */
static uintptr_t large_in(uintptr_t unit) {
    uint16_t step = __atomic_load_n(toft_map_large_at((const void *)unit), __ATOMIC_RELAXED);
    return step == 0 ? 0 : unit + (step - 1) * TOFT_MAP_LARGE_ALIGNMENT;
}

void *toft_map_find_large(const void *memory, size_t bytes) {
    uintptr_t end = (uintptr_t)memory + bytes;
    uintptr_t unit = (uintptr_t)memory & ~(uintptr_t)(TOFT_MAP_UNIT_BYTES - 1);
    for (; unit < end; unit += TOFT_MAP_UNIT_BYTES) {
        uintptr_t object = large_in(unit);
        if (object > (uintptr_t)memory && object < end) return (void *)object;
    }
    return NULL;
}

void *toft_map_find_large_down(const void *address) {
    if (toft_map_find_leaf(address) == 0) return NULL;
    uintptr_t unit = (uintptr_t)address & ~(uintptr_t)(TOFT_MAP_UNIT_BYTES - 1);
    for (size_t left = toft_map_unit(address) + 1; left != 0; left--, unit -= TOFT_MAP_UNIT_BYTES) {
        if (toft_map_class((const void *)unit) >= 0) return NULL;
        uintptr_t object = large_in(unit);
        if (object != 0 && object <= (uintptr_t)address) return (void *)object;
    }
    return NULL;
}

void toft_map_unload(void) {
    for (size_t entry = 0; entry < TOFT_POOL_MAP_ENTRIES; entry++) {
        if (toft_pool_map[entry] == 0) continue;
        toft_os_unmap((void *)(toft_pool_map[entry] + toft_map_bias(entry)), leaf_bytes());
        toft_pool_map[entry] = 0;
    }
    if (spare_leaf != NULL) toft_os_unmap(spare_leaf, leaf_bytes());
    spare_leaf = NULL;
}
