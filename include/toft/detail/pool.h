/* SPDX-License-Identifier: MIT */
/* The inside of <toft/pool.h>: its size classes, a thread's cache, and the inlined paths. */
#ifndef TOFT_DETAIL_POOL_H
#define TOFT_DETAIL_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include <toft/pool.h>

#if !defined(__GNUC__) && !defined(__clang__)
    #error "Toft's pool is for gcc and clang; its arena and reap are for any compiler"
#endif

TOFT_EXTERN_C_BEGIN

/* Size classes: steps of 8 bytes to 128 (those not divisible by 16 serve an explicit alignment of 8
   or less), of 16 to 512, and from there eight to each doubling. The second macro is the class of a
   size from 1 to TOFT_POOL_SMALL_MAX that is a multiple of its alignment; src/pool/size_class.h has
   its inverse, and all else follows from the two. docs/size-classes.md says how to change them. */
#define TOFT_POOL_CLASSES 88
#define TOFT_POOL_CLASS_OF(size)                                                                   \
    ((size) <= 128 ? ((size) + 7) / 8 - 1                                                          \
     : (size) <= 512                                                                               \
         ? ((size) + 15) / 16 + 7                                                                  \
         : 40 + (TOFT_POOL_LOG2(size) - 9) * 8 + (((size) - 1) * 8 >> TOFT_POOL_LOG2(size) & 7))
/* The exponent of the largest power of two below size. */
#define TOFT_POOL_LOG2(size) (63U - (unsigned)__builtin_clzll((unsigned long long)(size) - 1))

/* A magazine is an aligned array of pointers to free slots, filled upwards. */
#define TOFT_POOL_MAGAZINE_BYTES ((uintptr_t)512)

#define TOFT_POOL_RECENT 4
struct toft_pool_cache {
    /* A magazine that is always full: see detail/pool_any.h. */
    void **no_class;
    /* For each class the newest free slot of its magazine. NULL stands below a magazine's oldest
       slot, and its last place is the last of its aligned block. So the test for an empty magazine
       looks at the slot that is to be taken, and the test for a full one at the address alone. */
    void **top[TOFT_POOL_CLASSES];
    toft_pool *pool;
    /* In a thread's cache of the shared pool: those of its caches of other pools that it used
       last. */
    struct {
        uint64_t pool_id;
        struct toft_pool_cache *cache;
    } recent[TOFT_POOL_RECENT];
};

#if defined(__GNUC__) /* thread_local would be wrapped in a call, and _Thread_local isn't C99 */
    #define TOFT_POOL_THREAD_LOCAL __thread
#elif defined(__cplusplus)
    #define TOFT_POOL_THREAD_LOCAL thread_local
#else
    #define TOFT_POOL_THREAD_LOCAL _Thread_local
#endif
#if defined(__GNUC__) && defined(__ELF__) && defined(__GLIBC__) /* by the headers above */
    /* One instruction or two from anywhere. The library has two thread-local variables of 8 bytes
       each, so that dozens of libraries with a Toft inside can be loaded late: the GNU C library
       keeps room for those. musl keeps none, and would refuse to load the first; so elsewhere the
       compiler chooses, which is as fast in a program, and takes a call in a shared library. */
    #define TOFT_POOL_TLS_MODEL __attribute__((tls_model("initial-exec")))
#else
    #define TOFT_POOL_TLS_MODEL
#endif
/* The calling thread's cache of the shared pool. Trivial to construct and to destroy, so that no
   access is guarded; never NULL. */
extern TOFT_API TOFT_POOL_THREAD_LOCAL toft_pool_cache *toft_pool_shared_cache TOFT_POOL_TLS_MODEL;

extern TOFT_API toft_pool toft_pool_of_process;
extern TOFT_API const unsigned char toft_pool_class_table[129];

/* The first word of every toft_pool: never 0, never used again. */
TOFT_ALWAYS_INLINE uint64_t toft_pool_id(const toft_pool *pool) {
    return *(const uint64_t *)(const void *)pool;
}

TOFT_API TOFT_NOINLINE void *toft_pool_take_slow(toft_pool_cache *cache, unsigned size_class,
                                                 size_t size);
TOFT_API TOFT_NOINLINE void toft_pool_give_slow(toft_pool_cache *cache, void *object,
                                                unsigned size_class, size_t size);
TOFT_API TOFT_NOINLINE void *toft_pool_alloc_large(toft_pool_cache *cache, size_t size,
                                                   size_t alignment);
TOFT_API TOFT_NOINLINE void toft_pool_free_large(toft_pool_cache *cache, void *object, size_t size,
                                                 size_t alignment);

#define TOFT_POOL_DEFAULT_ALIGNMENT(size) ((size) > 8 ? (size_t)16 : (size_t)8)

/* Slots of more than 1 KiB whose size is no power of two are aligned to lines of the cache at most:
   see src/pool/span.c. A stronger alignment takes a power of two there. */
#define TOFT_POOL_LINE_BYTES ((size_t)64)
#define TOFT_POOL_UNCOLOURED_MAX ((size_t)1024)

TOFT_ALWAYS_INLINE unsigned toft_pool_class_of_rounded(size_t size) {
    return (unsigned)TOFT_POOL_CLASS_OF(size);
}

TOFT_ALWAYS_INLINE unsigned toft_pool_class_of_aligned(size_t size, size_t alignment) {
    size_t rounded = (size + (size == 0) + (alignment - 1)) & ~(alignment - 1);
    if (alignment > TOFT_POOL_LINE_BYTES && rounded > TOFT_POOL_UNCOLOURED_MAX)
        rounded = (size_t)2 << TOFT_POOL_LOG2(rounded);
    return toft_pool_class_of_rounded(rounded);
}

/* The class of a size at its default alignment: folded for a constant size, else looked up. */
TOFT_ALWAYS_INLINE unsigned toft_pool_class_of(size_t size) {
    if (!__builtin_constant_p(size) && TOFT_LIKELY(size <= 1024))
        return toft_pool_class_table[(size + 7) / 8];
    return toft_pool_class_of_aligned(size, TOFT_POOL_DEFAULT_ALIGNMENT(size));
}

/* Whether a size fits a class with its alignment; never with one that is no power of two. */
TOFT_ALWAYS_INLINE bool toft_pool_is_small(size_t size, size_t alignment) {
    return size <= TOFT_POOL_SMALL_MAX && alignment - 1 < TOFT_POOL_SMALL_MAX &&
           (alignment & (alignment - 1)) == 0;
}

/* These are atomic for toft_pool_get_stats alone, which reads them from another thread; they are
   relaxed, since the owner is the only writer. */
TOFT_ALWAYS_INLINE void **toft_pool_top(const toft_pool_cache *cache, unsigned size_class) {
    return __atomic_load_n(&cache->top[size_class], __ATOMIC_RELAXED);
}
TOFT_ALWAYS_INLINE void toft_pool_set_top(toft_pool_cache *cache, unsigned size_class, void **top) {
    __atomic_store_n(&cache->top[size_class], top, __ATOMIC_RELAXED);
}

/* The size is that of the object. Only the slow path needs it, while a tool tracks the memory. */
TOFT_ALWAYS_INLINE void *toft_pool_take(toft_pool_cache *cache, unsigned size_class, size_t size) {
    void **top = toft_pool_top(cache, size_class);
    void *object = *top;
    if (TOFT_UNLIKELY(object == NULL)) return toft_pool_take_slow(cache, size_class, size);
    toft_pool_set_top(cache, size_class, top - 1);
    return object;
}

/* False where the class's magazine is full. */
TOFT_ALWAYS_INLINE bool toft_pool_try_give(toft_pool_cache *cache, void *object,
                                           unsigned size_class) {
    void **top = toft_pool_top(cache, size_class) + 1;
    if (TOFT_UNLIKELY(((uintptr_t)top & (TOFT_POOL_MAGAZINE_BYTES - 1)) == 0)) return false;
    *top = object;
    toft_pool_set_top(cache, size_class, top);
    return true;
}

TOFT_ALWAYS_INLINE void toft_pool_give(toft_pool_cache *cache, void *object, unsigned size_class,
                                       size_t size) {
    if (TOFT_UNLIKELY(!toft_pool_try_give(cache, object, size_class)))
        toft_pool_give_slow(cache, object, size_class, size);
}

TOFT_ALWAYS_INLINE void *toft_pool_cache_alloc(toft_pool_cache *cache, size_t size) {
    if (TOFT_UNLIKELY(size > TOFT_POOL_SMALL_MAX)) return toft_pool_alloc_large(cache, size, 16);
    return toft_pool_take(cache, toft_pool_class_of(size), size);
}

TOFT_ALWAYS_INLINE void toft_pool_cache_free(toft_pool_cache *cache, void *object, size_t size) {
    if (TOFT_UNLIKELY(object == NULL)) return;
    if (TOFT_UNLIKELY(size > TOFT_POOL_SMALL_MAX))
        toft_pool_free_large(cache, object, size, 16);
    else
        toft_pool_give(cache, object, toft_pool_class_of(size), size);
}

TOFT_ALWAYS_INLINE void *toft_pool_cache_alloc_aligned(toft_pool_cache *cache, size_t size,
                                                       size_t alignment) {
    if (TOFT_UNLIKELY(!toft_pool_is_small(size, alignment)))
        return toft_pool_alloc_large(cache, size, alignment);
    return toft_pool_take(cache, toft_pool_class_of_aligned(size, alignment), size);
}

TOFT_ALWAYS_INLINE void toft_pool_cache_free_aligned(toft_pool_cache *cache, void *object,
                                                     size_t size, size_t alignment) {
    if (TOFT_UNLIKELY(object == NULL)) return;
    if (TOFT_UNLIKELY(!toft_pool_is_small(size, alignment)))
        toft_pool_free_large(cache, object, size, alignment);
    else
        toft_pool_give(cache, object, toft_pool_class_of_aligned(size, alignment), size);
}

/* False where only a call finds it. */
TOFT_ALWAYS_INLINE bool toft_pool_find_cache(toft_pool *pool, toft_pool_cache **cache) {
    *cache = toft_pool_shared_cache;
    if (pool == &toft_pool_of_process) return true;
    uint64_t id = toft_pool_id(pool);
    unsigned place = (unsigned)(id % TOFT_POOL_RECENT);
    if (TOFT_UNLIKELY((*cache)->recent[place].pool_id != id)) return false;
    *cache = (*cache)->recent[place].cache;
    return true;
}

TOFT_ALWAYS_INLINE toft_pool_cache *toft_pool_current_cache(toft_pool *pool) {
    toft_pool_cache *cache;
    return toft_pool_find_cache(pool, &cache) ? cache : toft_pool_thread_cache(pool);
}

TOFT_ALWAYS_INLINE toft_pool *toft_pool_shared(void) { return &toft_pool_of_process; }

TOFT_ALWAYS_INLINE void *toft_pool_alloc(toft_pool *pool, size_t size) {
    return toft_pool_cache_alloc(toft_pool_current_cache(pool), size);
}

TOFT_ALWAYS_INLINE void *toft_pool_alloc_aligned(toft_pool *pool, size_t size, size_t alignment) {
    return toft_pool_cache_alloc_aligned(toft_pool_current_cache(pool), size, alignment);
}

TOFT_ALWAYS_INLINE void toft_pool_free(toft_pool *pool, void *object, size_t size) {
    toft_pool_cache_free(toft_pool_current_cache(pool), object, size);
}

TOFT_ALWAYS_INLINE void toft_pool_free_aligned(toft_pool *pool, void *object, size_t size,
                                               size_t alignment) {
    toft_pool_cache_free_aligned(toft_pool_current_cache(pool), object, size, alignment);
}

TOFT_ALWAYS_INLINE void *toft_pool_alloc_array(toft_pool *pool, size_t count, size_t size) {
    size_t bytes = 0;
    if (TOFT_UNLIKELY(__builtin_mul_overflow(count, size, &bytes))) return NULL;
    return toft_pool_alloc(pool, bytes);
}

TOFT_ALWAYS_INLINE void *toft_pool_alloc_array_aligned(toft_pool *pool, size_t count, size_t size,
                                                       size_t alignment) {
    size_t bytes = 0;
    if (TOFT_UNLIKELY(__builtin_mul_overflow(count, size, &bytes))) return NULL;
    return toft_pool_alloc_aligned(pool, bytes, alignment);
}

TOFT_EXTERN_C_END

#include <toft/detail/pool_any.h>

#endif
