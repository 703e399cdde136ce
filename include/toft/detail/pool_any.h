/* SPDX-License-Identifier: MIT */
/* The inside of <toft/pool.h> for objects whose size the caller doesn't know: the process's map of
 * its address space.
 *
 *     address    +---------- 14 bits ----------+--- 19 bits ---+--- 15 bits ---+
 *                | entry of toft_pool_map      | unit          | within a unit |
 *                +-----------------------------+---------------+---------------+
 *
 * An entry leads to a leaf, which is mapped when a pool first has memory in these 16 GiB. A leaf
 * has a byte for each unit of 32 KiB: the size class of the objects there, plus one. 0 is a unit
 * without small objects: of large ones, or memory that is no pool's. In a cache, 0 leads to a
 * magazine that is always full. So whatever isn't small takes the path that a full magazine takes,
 * and costs the fast path no instruction. */
#ifndef TOFT_DETAIL_POOL_ANY_H
#define TOFT_DETAIL_POOL_ANY_H

#include <toft/pool.h>

TOFT_EXTERN_C_BEGIN

#define TOFT_POOL_MAP_UNIT_BITS 15
#define TOFT_POOL_MAP_LEAF_BITS 34
#define TOFT_POOL_MAP_ENTRIES (1 << (48 - TOFT_POOL_MAP_LEAF_BITS))

/* 0, or where the byte of the unit at address 0 would lie, if the leaf reached down to there. */
extern TOFT_API uintptr_t toft_pool_map[TOFT_POOL_MAP_ENTRIES];

TOFT_API TOFT_NOINLINE void toft_pool_free_any_slow(void *object, toft_pool_cache *cache);

/* The compiler takes what it knew of a pointer for lost, and doesn't keep an address in a register
   that the next instruction can compute by itself. */
#if defined(__GNUC__)
    #define TOFT_POOL_FORGET(pointer) __asm__("" : "+r"(pointer))
#else
    #define TOFT_POOL_FORGET(pointer) ((void)0)
#endif

/* The entry of an address of 48 bits, as any object has it: more bits would lead behind the map,
   and a test for them would cost each free an instruction or two. Relaxed: whoever has an object
   has it from a thread that had stored the entry before; and a leaf that is found earlier is all
   zero. */
TOFT_ALWAYS_INLINE uintptr_t toft_pool_map_leaf(const void *address) {
    uint64_t place = (uintptr_t)address; /* more bits than the shift, on any machine */
    return __atomic_load_n(&toft_pool_map[place >> TOFT_POOL_MAP_LEAF_BITS], __ATOMIC_RELAXED);
}

/* The byte of an address whose entry is not 0. Atomic, since the bytes of foreign addresses may
   change meanwhile. */
TOFT_ALWAYS_INLINE unsigned toft_pool_map_byte(uintptr_t leaf, const void *address) {
    uintptr_t place = leaf + ((uintptr_t)address >> TOFT_POOL_MAP_UNIT_BITS);
    return __atomic_load_n((const unsigned char *)place, __ATOMIC_RELAXED);
}

/* A free doesn't touch its slot. But who frees a tree has read its nodes from the root down, and
   frees them from the leaves up: mostly in the order of memory. When the processor is told of that
   order, it foresees what will be read next. */
#if defined(__GNUC__)
    #define TOFT_POOL_FORESEE(object) __builtin_prefetch(object)
#else
    #define TOFT_POOL_FORESEE(object) ((void)0)
#endif

/* For who has read the object's byte. False where it must be done by toft_pool_free_any_slow. */
TOFT_ALWAYS_INLINE bool toft_pool_give_by_byte(toft_pool_cache *cache, void *object,
                                               unsigned byte) {
    TOFT_POOL_FORESEE(object);
    void **top = __atomic_load_n(&((void ***)(void *)cache)[byte], __ATOMIC_RELAXED) + 1;
    if (TOFT_UNLIKELY(((uintptr_t)top & (TOFT_POOL_MAGAZINE_BYTES - 1)) == 0)) return false;
    TOFT_POOL_FORGET(cache);
    *top = object;
    __atomic_store_n(&((void ***)(void *)cache)[byte], top, __ATOMIC_RELAXED);
    return true;
}

/* False where it must be done by toft_pool_free_any_slow, or in another way. */
TOFT_ALWAYS_INLINE bool toft_pool_give_any(toft_pool_cache *cache, void *object) {
    uintptr_t leaf = toft_pool_map_leaf(object);
    if (TOFT_UNLIKELY(leaf == 0)) return false;
    return toft_pool_give_by_byte(cache, object, toft_pool_map_byte(leaf, object));
}

TOFT_ALWAYS_INLINE void toft_pool_free_any(toft_pool *pool, void *object) {
    toft_pool_cache *cache = toft_pool_current_cache(pool);
    if (TOFT_UNLIKELY(!toft_pool_give_any(cache, object))) toft_pool_free_any_slow(object, cache);
}

TOFT_EXTERN_C_END

#endif
