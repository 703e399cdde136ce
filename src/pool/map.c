/* SPDX-License-Identifier: MIT */
#include "pool/map.h"

#include "base/bits.h"
#include "os/os.h"

#define UNITS ((size_t)1 << (TOFT_POOL_MAP_LEAF_BITS - TOFT_POOL_MAP_UNIT_BITS))

/* A leaf has 1.5 MiB of addresses. The system spends memory on those of its pages that describe a
   pool's memory: 4 KiB for 128 MiB of small objects, and for 64 MiB of large ones. */
typedef struct toft_map_leaf {
    unsigned char classes[UNITS];
    uint16_t large[UNITS]; /* where in the unit a large object starts, in steps, plus one; or 0 */
} toft_map_leaf;

uintptr_t toft_pool_map[TOFT_POOL_MAP_ENTRIES];

static size_t leaf_bytes(void) {
    return toft_align_up(sizeof(toft_map_leaf), toft_os_page_bytes());
}

/* What a leaf's address has less in the map. */
static uintptr_t bias(size_t entry) { return (uintptr_t)(entry * UNITS); }

static toft_map_leaf *leaf_of(const void *address) {
    size_t entry = (size_t)((uint64_t)(uintptr_t)address >> TOFT_POOL_MAP_LEAF_BITS);
    return (toft_map_leaf *)(toft_pool_map_leaf(address) + bias(entry));
}

static size_t unit_of(const void *address) {
    return ((uintptr_t)address >> TOFT_POOL_MAP_UNIT_BITS) % UNITS;
}

static toft_map_leaf *map_leaf(void) {
    return toft_os_map_ordinary(leaf_bytes(), toft_os_page_bytes());
}

/* False where another thread was first. Relaxed, as toft_pool_map_leaf says. */
static bool add_leaf(uint64_t entry, toft_map_leaf *leaf) {
    uintptr_t expected = 0;
    return __atomic_compare_exchange_n(&toft_pool_map[entry], &expected,
                                       (uintptr_t)leaf - bias((size_t)entry), false,
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
        __atomic_store_n(&leaf_of(address)->classes[unit_of(address)], byte, __ATOMIC_RELAXED);
}

void toft_map_set_class(const void *memory, unsigned units, unsigned size_class) {
    set(memory, units, (unsigned char)(size_class + 1));
}

void toft_map_set_nothing(const void *memory, size_t bytes) {
    set(memory, bytes / TOFT_MAP_UNIT_BYTES, 0);
}

/* --- large objects --- */

static uint16_t *entry_of(const void *object) { return &leaf_of(object)->large[unit_of(object)]; }

static uint16_t step_of(const void *object) {
    size_t offset = (uintptr_t)object % TOFT_MAP_UNIT_BYTES;
    return (uint16_t)(offset / TOFT_MAP_LARGE_ALIGNMENT + 1);
}

uint16_t toft_map_add_large(const void *object) {
    uint16_t before = __atomic_load_n(entry_of(object), __ATOMIC_RELAXED);
    __atomic_store_n(entry_of(object), step_of(object), __ATOMIC_RELAXED);
    return before;
}

void toft_map_remove_large(const void *object, uint16_t before) {
    __atomic_store_n(entry_of(object), before, __ATOMIC_RELAXED);
}

bool toft_map_has_large(const void *object) {
    if (toft_map_find_leaf(object) == 0) return false;
    return (uintptr_t)object % TOFT_MAP_LARGE_ALIGNMENT == 0 &&
           __atomic_load_n(entry_of(object), __ATOMIC_RELAXED) == step_of(object);
}

void *toft_map_find_large(const void *memory, size_t bytes) {
    uintptr_t end = (uintptr_t)memory + bytes;
    uintptr_t unit = (uintptr_t)memory & ~(uintptr_t)(TOFT_MAP_UNIT_BYTES - 1);
    for (; unit < end; unit += TOFT_MAP_UNIT_BYTES) {
        uint16_t step = __atomic_load_n(entry_of((const void *)unit), __ATOMIC_RELAXED);
        uintptr_t object = unit + (step - 1) * TOFT_MAP_LARGE_ALIGNMENT;
        if (step != 0 && object > (uintptr_t)memory && object < end) return (void *)object;
    }
    return NULL;
}

void toft_map_unload(void) {
    for (size_t entry = 0; entry < TOFT_POOL_MAP_ENTRIES; entry++) {
        if (toft_pool_map[entry] == 0) continue;
        toft_os_unmap((void *)(toft_pool_map[entry] + bias(entry)), leaf_bytes());
        toft_pool_map[entry] = 0;
    }
    if (spare_leaf != NULL) toft_os_unmap(spare_leaf, leaf_bytes());
    spare_leaf = NULL;
}
