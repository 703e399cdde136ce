/* SPDX-License-Identifier: MIT */
/* A reap: an arena whose objects can also be freed one by one. What is freed is handed out again,
 * and all still go at once.
 *
 *     free  +--------+     +------+     +------+
 *     lists | 24     | --> | slot | --> | slot |          the arena that slots come from
 *           | 32     |     +------+     +------+        +------+------+---------+---------+
 *           | ...    | --> ...                          | slot | slot | slot    | unused  |
 *           +--------+                                  +------+------+---------+---------+
 *
 *     toft_reap r = TOFT_REAP_INIT;
 *     struct node *n = toft_reap_new(&r, struct node);
 *     ...
 *     toft_reap_delete(&r, n);
 *     toft_reap_release(&r);
 *
 * A reap that has taken more than one chunk is as new when its last object is freed: what comes
 * next lies in a row again, and not where freed objects happened to lie.
 *
 * No object carries a header: a free names the size and the alignment of the allocation, both in
 * bytes. Sizes are rounded up to a class: a multiple of 8 to 128, then four classes to each
 * doubling. An alignment is any power of two; beyond 16, a slot is a power of two aligned to its
 * own size. Size 0 gives a valid pointer of its own. An object larger than TOFT_REAP_SLOT_MAX, or
 * more strongly aligned, lies in the first buffer while that has room, and else has a block of its
 * own from the upstream, which freeing it gives back.
 *
 * There is no free without a size. Slots of all sizes lie in a row, so that what is built together
 * lies together; nothing in memory says where one ends, and a header that did would cost those who
 * know their sizes too. Who doesn't keeps the size in front of the object, or uses a pool of their
 * own: toft_pool_free_any, and toft_pool_destroy for all that is left.
 *
 * Threads: a reap belongs to one thread at a time; different reaps need no agreement.
 * Failure is NULL: for want of memory, for a limit, for a size that can't be represented, for an
 * alignment that isn't a power of two. What was allocated stays valid then, and the reap usable.
 * Misuse that we detect prints one line to standard error and aborts.
 * Assignment doesn't copy a reap, nor move it: toft_reap_move does. */
#ifndef TOFT_REAP_H
#define TOFT_REAP_H

#include <string.h>

#include <toft/arena.h>

TOFT_EXTERN_C_BEGIN

/* As an arena's; large objects count towards limit_bytes. */
typedef toft_arena_options toft_reap_options;

#define TOFT_REAP_SLOT_MAX ((size_t)32768)

/* 16 in steps of 8, 32 up to TOFT_REAP_SLOT_MAX, 11 for stronger alignments. */
#define TOFT_REAP_CLASSES 59

typedef struct toft_reap_slot toft_reap_slot; /* free memory that begins with a link to the next */
typedef struct toft_reap_large toft_reap_large; /* an object in a block of its own */

/* A point to rewind to: see toft_reap_save. */
typedef struct toft_reap_savepoint toft_reap_savepoint;

/* Its fields are for the functions below. */
typedef struct toft_reap {
    toft_arena arena;
    /* Objects in slots, allocated and freed so far: two counters, since one that both change would
       make each call wait for the last. A free is inlined unless `freed` exceeds `allocated`. That
       is one less than it was while `renews`; and TOFT_REAP_CLOSED less while `closed`: before the
       first free, while a tool watches, while a savepoint stands. */
    ptrdiff_t allocated;
    ptrdiff_t freed;
    bool closed;                    /* no free is inlined */
    bool renews;                    /* when its last object is freed, it is as new */
    bool arena_shared;              /* its arena has objects that aren't counted */
    toft_reap_savepoint *savepoint; /* the newest that stands */
    toft_reap_large *large;         /* the newest, of those since that savepoint */
    size_t large_bytes;             /* of all large objects in blocks of their own */
    size_t high_water_bytes;        /* as last noted */
    toft_reap_slot **watched;       /* the free lists while a tool watches */
    toft_reap_slot *free[TOFT_REAP_CLASSES];
} toft_reap;

#define TOFT_REAP_CLOSED (PTRDIFF_MAX / 2)

/* A reap with defaults: no call, no memory, nothing to undo unless it is used. */
#ifdef __cplusplus
    #define TOFT_REAP_INIT                                                                         \
        toft_reap {}
#else
    #define TOFT_REAP_INIT {0}
#endif

typedef struct toft_reap_stats {
    size_t used_bytes;       /* allocated now, rounding and padding included */
    size_t free_bytes;       /* freed, ready to be handed out again */
    size_t reserved_bytes;   /* held now: chunks, their headers, large blocks, the first buffer */
    size_t high_water_bytes; /* the most that used_bytes and free_bytes have been together */
    size_t chunks;           /* held now, the first buffer and large blocks included */
    size_t upstream_allocations; /* chunks and large blocks taken and given back so far */
    size_t upstream_frees;
} toft_reap_stats;

/* --- internal: what the inlined paths need --- */

TOFT_API TOFT_NOINLINE void *toft_reap_alloc_slow(toft_reap *reap, size_t size, size_t alignment);
TOFT_API TOFT_NOINLINE void toft_reap_free_large(toft_reap *reap, void *object, size_t size,
                                                 size_t alignment);
/* Of a slot that has been counted as freed already. */
TOFT_API TOFT_NOINLINE void toft_reap_free_slow(toft_reap *reap, void *object, size_t size,
                                                unsigned size_class);
extern TOFT_API const unsigned char toft_reap_class_table[129];
extern TOFT_API const uint16_t toft_reap_slot_table[TOFT_REAP_CLASSES];

/* The exponent of the least power of two >= n, for n >= 2. */
TOFT_ALWAYS_INLINE unsigned toft_reap_log2_ceil(size_t n) {
#if defined(__GNUC__) || defined(__clang__)
    return (unsigned)sizeof(unsigned long long) * 8 - (unsigned)__builtin_clzll(n - 1);
#else
    unsigned log2 = 1;
    while (log2 < sizeof n * 8 && (n - 1) >> log2 != 0) log2++;
    return log2;
#endif
}

TOFT_ALWAYS_INLINE bool toft_reap_fits_slot(size_t size, size_t alignment) {
    return size <= TOFT_REAP_SLOT_MAX && alignment - 1 < TOFT_REAP_SLOT_MAX &&
           (alignment & (alignment - 1)) == 0;
}

/* Of a size and alignment that fit a slot. Slots of a multiple of 16 bytes are aligned to 16. */
TOFT_ALWAYS_INLINE unsigned toft_reap_class(size_t size, size_t alignment) {
    if (alignment > 16) return 43 + toft_reap_log2_ceil(size > alignment ? size : alignment);
    size_t mask = alignment > 8 ? 15 : 7;
    size_t rounded = (size + (size == 0) + mask) & ~mask;
#if defined(__GNUC__) || defined(__clang__)
    if (!__builtin_constant_p(rounded) && TOFT_LIKELY(rounded <= 1024))
        return toft_reap_class_table[rounded / 8];
#endif
    if (rounded <= 128) return (unsigned)(rounded / 8 - 1);
    unsigned log2 = toft_reap_log2_ceil(rounded); /* 8 for 129 to 256 */
    return 16 + (log2 - 8) * 4 + (unsigned)((rounded - 1) >> (log2 - 3) & 3);
}

TOFT_ALWAYS_INLINE size_t toft_reap_slot_bytes(unsigned size_class) {
#if defined(__GNUC__) || defined(__clang__)
    if (!__builtin_constant_p(size_class)) return toft_reap_slot_table[size_class];
#endif
    if (size_class < 16) return ((size_t)size_class + 1) * 8;
    if (size_class < 48) return (size_t)(5 + size_class % 4) << (1 + size_class / 4);
    return (size_t)32 << (size_class - 48);
}

TOFT_ALWAYS_INLINE size_t toft_reap_slot_alignment(unsigned size_class) {
    size_t bytes = toft_reap_slot_bytes(size_class);
    return size_class >= 48 ? bytes : 16 - bytes % 16;
}

/* By memcpy, since what the slot held before was of another type. */
TOFT_ALWAYS_INLINE toft_reap_slot *toft_reap_next(const void *slot) {
    toft_reap_slot *next;
    memcpy(&next, slot, sizeof next);
    return next;
}
TOFT_ALWAYS_INLINE void toft_reap_set_next(void *slot, toft_reap_slot *next) {
    memcpy(slot, &next, sizeof next);
}

/* A reused slot, or NULL. */
TOFT_ALWAYS_INLINE void *toft_reap_reuse(toft_reap *reap, unsigned size_class) {
    void *reused = reap->free[size_class];
    if (TOFT_LIKELY(reused != NULL)) reap->free[size_class] = toft_reap_next(reused);
    return reused;
}

/* A new slot, or NULL where the chunk has no more. */
TOFT_ALWAYS_INLINE void *toft_reap_extend(toft_reap *reap, unsigned size_class) {
    size_t alignment = toft_reap_slot_alignment(size_class);
    uintptr_t slot = (uintptr_t)reap->arena.cur;
    if (alignment > TOFT_ARENA_GRANULE)
        slot = (slot + (alignment - 1)) & ~(uintptr_t)(alignment - 1);
    uintptr_t next = slot + toft_reap_slot_bytes(size_class);
    if (TOFT_UNLIKELY(next > (uintptr_t)reap->arena.end)) return NULL;
    reap->arena.cur = (char *)next;
    return (void *)slot;
}

/* Whether the compiler knows the class: only then is moving the arena's pointer worth inlining. */
#if defined(__GNUC__) || defined(__clang__)
    #define TOFT_REAP_KNOWN(size_class) __builtin_constant_p(size_class)
#else
    #define TOFT_REAP_KNOWN(size_class) 0
#endif

/* Both of the following. A new slot is inlined for a class that the compiler knows, or always. */
TOFT_ALWAYS_INLINE void *toft_reap_take(toft_reap *reap, size_t size, size_t alignment,
                                        bool always) {
    if (TOFT_UNLIKELY(!toft_reap_fits_slot(size, alignment)))
        return toft_reap_alloc_slow(reap, size, alignment);
    unsigned size_class = toft_reap_class(size, alignment);
    void *slot = toft_reap_reuse(reap, size_class);
    if (slot == NULL && (always || TOFT_REAP_KNOWN(size_class)))
        slot = toft_reap_extend(reap, size_class);
    if (TOFT_UNLIKELY(slot == NULL)) return toft_reap_alloc_slow(reap, size, alignment);
    reap->allocated++;
    return slot;
}

/* --- the interface --- */

/* Uninitialised memory. With constant size and alignment six instructions until the pointer of a
   reused slot is there, nine for a new one (x86-64). Constant time but for a chunk change. */
TOFT_NODISCARD TOFT_ALWAYS_INLINE void *toft_reap_alloc(toft_reap *reap, size_t size,
                                                        size_t alignment) {
    return toft_reap_take(reap, size, alignment, false);
}

/* The same for a function that all allocations pass through: new slots are inlined too, though the
   size isn't known. */
TOFT_NODISCARD TOFT_ALWAYS_INLINE void *toft_reap_alloc_any(toft_reap *reap, size_t size,
                                                            size_t alignment) {
    return toft_reap_take(reap, size, alignment, true);
}

/* Frees what toft_reap_alloc returned for this size and alignment. NULL is fine. Never fails; with
   constant size and alignment fourteen instructions at most, of which two find the last object
   freed twice. Out of line while a savepoint stands. */
TOFT_ALWAYS_INLINE void toft_reap_free(toft_reap *reap, void *object, size_t size,
                                       size_t alignment) {
    if (object == NULL) return;
    if (TOFT_UNLIKELY(!toft_reap_fits_slot(size, alignment))) {
        toft_reap_free_large(reap, object, size, alignment);
        return;
    }
    unsigned size_class = toft_reap_class(size, alignment);
    toft_reap_slot *head = reap->free[size_class];
    if (TOFT_LIKELY(++reap->freed <= reap->allocated && (void *)head != object)) {
        toft_reap_set_next(object, head);
        reap->free[size_class] = (toft_reap_slot *)object;
        return;
    }
    toft_reap_free_slow(reap, object, size, size_class);
}

/* An array of count objects of size bytes each; to be freed with count * size. */
TOFT_NODISCARD TOFT_ALWAYS_INLINE void *toft_reap_alloc_array(toft_reap *reap, size_t count,
                                                              size_t size, size_t alignment) {
    if (TOFT_UNLIKELY(size != 0 && count > SIZE_MAX / size)) return NULL;
    return toft_reap_alloc(reap, count * size, alignment);
}

/* One object of type T, uninitialised, aligned for T; and its end, by the type of the pointer. */
#ifdef __cplusplus
    #define toft_reap_new(reap, T) static_cast<T *>(toft_reap_alloc((reap), sizeof(T), alignof(T)))
    #define toft_reap_delete(reap, object)                                                         \
        toft_reap_free((reap), (object), sizeof *(object), alignof(decltype(*(object))))
#else
    #define toft_reap_new(reap, T) ((T *)toft_reap_alloc((reap), sizeof(T), TOFT_ALIGNOF(T)))
    #define toft_reap_delete(reap, object)                                                         \
        toft_reap_free((reap), (object), sizeof *(object), TOFT_ALIGNOF(__typeof__(*(object))))
#endif

/* Makes object new_size bytes large and keeps its contents up to the smaller size. In place where
   both sizes are of one class, else a copy. NULL as object allocates; on failure object stays as it
   was. */
TOFT_NODISCARD TOFT_API void *toft_reap_resize(toft_reap *reap, void *object, size_t old_size,
                                               size_t new_size, size_t alignment);

/* The arena that slots come from, for what is never freed alone, such as toft_arena_strdup and
   toft_arena_defer. Save, rewind, reset, release and move the reap, never its arena. The reap is
   from then on not as new again when its last object is freed, but only after a reset. */
TOFT_ALWAYS_INLINE toft_arena *toft_reap_arena(toft_reap *reap) {
    reap->arena_shared = true;
    return &reap->arena;
}

/* Makes *reap ready, with options or, for NULL, with defaults. Takes no memory; what *reap held
   before is not looked at. */
TOFT_API void toft_reap_init(toft_reap *reap, const toft_reap_options *options);

/* Moves from's memory and options to *to, which is not looked at before. *from is then as after
   TOFT_REAP_INIT. Savepoints go along. Not for a reap whose first buffer moves too. */
TOFT_API void toft_reap_move(toft_reap *to, toft_reap *from);

/* A savepoint is for scratch work: it stands until it is rewound to, or an older one is, or the
   reap is reset or released. As long,
     - what was free before isn't handed out: all that is allocated lies behind the savepoint;
     - what is freed and was allocated since is handed out again at once;
     - what is freed and is older waits for the rewind.
   Rewinding frees all that was allocated since, large objects too. Free are then the slots that
   were before, and those that waited: no slot is lost, none behind the savepoint stays in a list.
   toft_reap_save gives NULL when out of memory: a savepoint takes a slot of 640 bytes while it
   stands. Saving is constant time; rewinding linear in the chunks and large objects freed and the
   functions run, however many slots were. */
TOFT_NODISCARD TOFT_API toft_reap_savepoint *toft_reap_save(toft_reap *reap);
TOFT_API void toft_reap_rewind(toft_reap *reap, toft_reap_savepoint *savepoint);

/* Frees everything. Memory is kept for reuse, up to keep_bytes, but for that of large objects,
   which goes back. Otherwise as toft_arena_reset. */
TOFT_API void toft_reap_reset(toft_reap *reap);

/* Frees everything and gives all memory back. The reap is as after its initialisation, and usable.
   Linear in the chunks and large objects. */
TOFT_API void toft_reap_release(toft_reap *reap);

/* Linear in the free slots, chunks and large objects. */
TOFT_API toft_reap_stats toft_reap_get_stats(const toft_reap *reap);

TOFT_EXTERN_C_END

#endif
