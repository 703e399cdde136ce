/* SPDX-License-Identifier: MIT */
/* The strategy that a thread uses for now, and malloc's shape over it.
 *
 *      block of an arena or reap          object
 *     +-----------------------+----------+----------------+
 *     | unless front is 16    | label    | size bytes     |
 *     +-----------------------+----------+----------------+
 *      <------------- front ------------>
 *
 * Frees name no size and no owner. A pool's object finds its owner by the map of the address space;
 * another has a label in front of it. */
#include <toft/current.h>

#include <string.h>

#include "arena/arena.h"
#include "pool/map.h"
#include "pool/span.h"

/* Its own file's alone, so that programs which don't use it aren't linked to it. */
static _Thread_local toft_strategy current;

/* Where the current arena's last chunk ends, once it is known not to lie in a pool's small
   objects. */
static _Thread_local const char *checked_end;

typedef struct label {
    uint64_t owner; /* where the first chunk of its arena or reap lies, and the kind in front */
    uint64_t size : 58;
    uint64_t front_log2 : 6;
} label;
#define LABEL_LOG2 4
#define LABEL_BYTES ((size_t)1 << LABEL_LOG2)
_Static_assert(sizeof(label) == LABEL_BYTES, "an object is aligned to 16 behind its label");

static uintptr_t kind_of(toft_strategy strategy) { return strategy.word & TOFT_STRATEGY_KINDS; }
static void *address_of(toft_strategy strategy) {
    return (void *)(strategy.word & ~TOFT_STRATEGY_KINDS);
}
static toft_pool *pool_of(toft_strategy strategy) {
    return strategy.word == 0 ? toft_pool_shared() : address_of(strategy);
}

/* --- uses --- */

toft_strategy toft_current_get(void) { return current; }

toft_current_use toft_current_push(toft_strategy strategy) {
    toft_current_use use = {.strategy = strategy, .before = current, .thread = &current};
    current = strategy;
    checked_end = NULL;
    return use;
}

void toft_current_pop(toft_current_use use) {
    if (TOFT_UNLIKELY(current.word != use.strategy.word || use.thread != &current))
        toft_misuse(pool_of(use.strategy), "its use ends, but it is not the current strategy: "
                                           "uses end in reverse order, on their own thread");
    current = use.before;
    checked_end = NULL;
}

/* --- a strategy of any kind --- */

/* A region is an arena or a reap. Inlined, since a reap's path is short where it is known how the
   object is aligned; elsewhere the two functions below do. */
TOFT_ALWAYS_INLINE void *region_alloc(toft_strategy region, size_t size, size_t alignment) {
    return kind_of(region) == TOFT_STRATEGY_ARENA
               ? toft_arena_alloc(address_of(region), size, alignment)
               : toft_reap_alloc(address_of(region), size, alignment);
}

TOFT_ALWAYS_INLINE void region_free(toft_strategy region, void *object, size_t size,
                                    size_t alignment) {
    if (kind_of(region) == TOFT_STRATEGY_ARENA)
        toft_arena_free_last(address_of(region), object, size);
    else
        toft_reap_free(address_of(region), object, size, alignment);
}

void *toft_strategy_alloc(toft_strategy strategy, size_t size, size_t alignment) {
    return kind_of(strategy) == 0 ? toft_pool_alloc_aligned(pool_of(strategy), size, alignment)
                                  : region_alloc(strategy, size, alignment);
}

void toft_strategy_free(toft_strategy strategy, void *object, size_t size, size_t alignment) {
    if (kind_of(strategy) == 0)
        toft_pool_free_aligned(pool_of(strategy), object, size, alignment);
    else
        region_free(strategy, object, size, alignment);
}

/* --- labels --- */

static_assert(offsetof(toft_reap, arena) == 0, "a reap's address is its arena's");

/* What an arena or reap has as long as it has objects, and takes along when it is moved. */
TOFT_ALWAYS_INLINE uint64_t owner_of(toft_strategy region) {
    return (uintptr_t)((const toft_arena *)address_of(region))->first | kind_of(region);
}

/* The reverse. */
static toft_strategy strategy_of(uint64_t owner) {
    toft_strategy region = {(uintptr_t)owner};
    region.word = (uintptr_t)toft_arena_of_first(address_of(region)) | kind_of(region);
    return region;
}

static label *label_of(void *object) { return (label *)(void *)((char *)object - LABEL_BYTES); }

TOFT_ALWAYS_INLINE void *write_label(void *block, toft_strategy owner, size_t size, size_t front) {
    char *object = (char *)block + front;
    label *written = label_of(object);
    written->owner = owner_of(owner);
    written->size = size & (((uint64_t)1 << 58) - 1);
    written->front_log2 = toft_log2_ceil(front) & 63;
    return object;
}

/* A free would take such a block for an object of that pool. */
static void expect_no_pool_around(const void *block, toft_strategy owner) {
    if (TOFT_UNLIKELY(toft_map_class(block) >= 0))
        toft_misuse(address_of(owner), "it is current, but lies in small objects of a pool");
}

/* By bytes: what is handed in may be no object of ours, and lie anywhere. */
static label read_label(const void *object) {
    label read;
    memcpy(&read, (const char *)object - LABEL_BYTES, sizeof read);
    return read;
}

static size_t front_of(label read) { return (size_t)1 << read.front_log2; }

/* False where they have no sum. */
static bool with_front(size_t front, size_t size, size_t *bytes) {
    *bytes = front + size;
    return size <= PTRDIFF_MAX - front;
}

/* The front is a power of two, of 16 at least. */
TOFT_ALWAYS_INLINE void *alloc_behind(toft_strategy region, size_t size, size_t front) {
    size_t bytes;
    if (!with_front(front, size, &bytes)) return NULL;
    void *block = region_alloc(region, bytes, front);
    if (TOFT_UNLIKELY(block == NULL)) return NULL;
    expect_no_pool_around(block, region);
    return write_label(block, region, size, front);
}

/* An arena makes objects in its last chunk alone. */
TOFT_NOINLINE static void *alloc_in_arena_slow(toft_strategy region, size_t size) {
    void *object = alloc_behind(region, size, LABEL_BYTES);
    if (object != NULL) checked_end = ((const toft_arena *)address_of(region))->end;
    return object;
}

/* Out of line, as the next one is: so no path needs the room on the stack that another one does. */
TOFT_NOINLINE static void *alloc_in_arena(toft_strategy region, size_t size) {
    toft_arena *arena = address_of(region);
    uintptr_t block = ((uintptr_t)arena->cur + (LABEL_BYTES - 1)) & ~(LABEL_BYTES - 1);
    uintptr_t next = block + LABEL_BYTES + toft_arena_rounded(size);
    if (TOFT_UNLIKELY(size >= TOFT_ARENA_INLINE_MAX || next > (uintptr_t)arena->end ||
                      arena->end != checked_end))
        return alloc_in_arena_slow(region, size);
    arena->cur = (char *)next;
    return write_label((void *)block, region, size, LABEL_BYTES);
}

TOFT_NOINLINE static void *alloc_in_reap(toft_strategy region, size_t size) {
    return alloc_behind(region, size, LABEL_BYTES);
}

/* No object is empty: else its address may be its chunk's end, where a pool's memory may begin. */
static void *alloc_labelled(toft_strategy region, size_t size) {
    size += size == 0;
    return kind_of(region) == TOFT_STRATEGY_ARENA ? alloc_in_arena(region, size)
                                                  : alloc_in_reap(region, size);
}

/* The alignment is a power of two. */
static void *alloc_labelled_aligned(toft_strategy region, size_t size, size_t alignment) {
    if (alignment <= LABEL_BYTES) return alloc_labelled(region, size);
    return alignment > PTRDIFF_MAX ? NULL : alloc_behind(region, size + (size == 0), alignment);
}

/* --- malloc's shape --- */

void *toft_current_alloc(size_t size) {
    if (kind_of(current) == 0) return toft_pool_alloc(pool_of(current), size);
    return alloc_labelled(current, size);
}

void *toft_current_alloc_aligned(size_t size, size_t alignment) {
    if (!toft_is_power_of_two(alignment)) return NULL;
    if (kind_of(current) == 0) return toft_pool_alloc_aligned(pool_of(current), size, alignment);
    return alloc_labelled_aligned(current, size, alignment);
}

/* An object of an arena or reap, as far as a tool can tell. */
static void expect_live(void *object, const char *message) {
    if (toft_tracking() && toft_track_is_free(label_of(object))) toft_misuse(object, message);
}

/* Where an arena's last allocation lies, if anywhere. */
static bool in_last_chunk(const toft_arena *arena, const void *object) {
    if (arena->first == NULL) return false;
    const toft_chunk *chunk = arena->ledger_unwritten ? arena->first : toft_arena_current(arena);
    return (uintptr_t)object > (uintptr_t)chunk && (uintptr_t)object <= (uintptr_t)arena->cur;
}

/* The label of an object is read only where the object may be the current arena's or reap's. To
   free what one had is forbidden after its end, and its memory may be gone then: where that costs
   nothing to see, nothing is done. */
static bool may_be_given_back(const void *object) {
    switch (kind_of(current)) {
    case TOFT_STRATEGY_ARENA:
        return in_last_chunk(address_of(current), object);
    case TOFT_STRATEGY_REAP:
        return ((const toft_reap *)address_of(current))->arena.first != NULL;
    default:
        return false;
    }
}

/* To the current arena or reap, if the object is one of its own. */
TOFT_ALWAYS_INLINE void give_back(void *object) {
    toft_strategy region = current;
    label read = read_label(object);
    if (read.owner != owner_of(region)) return;
    char *memory = object;
    size_t front = front_of(read), size = (size_t)read.size;
    if (TOFT_LIKELY(read.front_log2 == LABEL_LOG2))
        region_free(region, memory - LABEL_BYTES, LABEL_BYTES + size, LABEL_BYTES);
    else
        toft_strategy_free(region, memory - front, front + size, front);
}

/* What isn't small in a pool: NULL too. */
TOFT_NOINLINE static void free_other(void *object) {
    if (toft_map_has_large(object)) {
        toft_pool_free_any(toft_pool_of(object), object);
    } else if (object != NULL) {
        expect_live(object, "freed, but it was freed before, or its arena or reap was reset");
        if (may_be_given_back(object)) give_back(object);
    }
}

TOFT_NOINLINE static void free_small_slow(void *object) {
    toft_pool_free_any(toft_segment_of(object)->pool, object);
}

/* Whatever it is, and whatever is current. What calls and returns is out of line, so that no
   register is saved here. */
TOFT_NOINLINE static void free_any(void *object) {
    unsigned byte = toft_map_byte(object);
    toft_pool_cache *cache;
    if (byte == 0)
        free_other(object);
    else if (TOFT_UNLIKELY(!toft_pool_find_cache(toft_segment_of(object)->pool, &cache) ||
                           !toft_pool_give_by_byte(cache, object, byte)))
        free_small_slow(object);
}

TOFT_NOINLINE static void give_to_arena(void *object) { give_back(object); }

/* While an arena is current, most of what is freed lies in it and stays there: only its last
   allocation goes. Its memory may be a pool's upstream, so the map is asked first. An arena without
   an end is empty, or tracked. */
static void free_in_use_of_arena(void *object) {
    const toft_arena *arena = address_of(current);
    if (TOFT_UNLIKELY(arena->end == NULL || toft_map_has_object(object))) {
        free_any(object);
    } else if (in_last_chunk(arena, object)) {
        size_t size = (size_t)read_label(object).size;
        if (TOFT_UNLIKELY((uintptr_t)object + toft_arena_rounded(size) == (uintptr_t)arena->cur))
            give_to_arena(object);
    }
}

/* And while a reap is, it takes back what it has. */
TOFT_NOINLINE static void free_in_use_of_reap(void *object) {
    if (TOFT_UNLIKELY(object == NULL || toft_map_has_object(object) || toft_tracking()))
        free_any(object);
    else if (may_be_given_back(object))
        give_back(object);
}

void toft_current_free(void *object) {
    if (kind_of(current) == 0)
        free_any(object);
    else if (kind_of(current) == TOFT_STRATEGY_ARENA)
        free_in_use_of_arena(object);
    else
        free_in_use_of_reap(object);
}

static void *resize_labelled(void *object, size_t new_size) {
    expect_live(object, "resized, but it was freed before, or its arena or reap was reset");
    label read = read_label(object);
    size_t front = front_of(read), old_bytes = front + (size_t)read.size, new_bytes;
    void *block = (char *)object - front;
    if (!with_front(front, new_size, &new_bytes)) return NULL;
    unsigned kind = read.owner & TOFT_STRATEGY_KINDS;
    if (TOFT_UNLIKELY(kind != TOFT_STRATEGY_ARENA && kind != TOFT_STRATEGY_REAP))
        toft_misuse(object, "resized, but it is no object of a current strategy, or its arena or "
                            "reap was reset");
    toft_strategy owner = strategy_of(read.owner);
    block = kind == TOFT_STRATEGY_ARENA
                ? toft_arena_resize(address_of(owner), block, old_bytes, new_bytes, front)
                : toft_reap_resize(address_of(owner), block, old_bytes, new_bytes, front);
    if (block == NULL) return NULL;
    expect_no_pool_around(block, owner);
    return write_label(block, owner, new_size, front);
}

void *toft_current_resize(void *object, size_t new_size) {
    if (object == NULL) return toft_current_alloc(new_size);
    if (new_size == 0) {
        toft_current_free(object);
        return NULL;
    }
    toft_pool *pool = toft_pool_of(object);
    return pool != NULL ? toft_pool_resize_any(pool, object, new_size)
                        : resize_labelled(object, new_size);
}

void *toft_current_calloc(size_t count, size_t size) {
    if (kind_of(current) == 0) return toft_pool_calloc(pool_of(current), count, size);
    if (size != 0 && count > SIZE_MAX / size) return NULL;
    void *object = alloc_labelled(current, count * size);
    return object == NULL ? NULL : memset(object, 0, count * size);
}

char *toft_current_strdup(const char *string) {
    size_t size = strlen(string) + 1;
    char *copy = toft_current_alloc(size);
    return copy == NULL ? NULL : memcpy(copy, string, size);
}
