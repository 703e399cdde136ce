/* SPDX-License-Identifier: MIT */
#include "pool/segments.h"

#include "base/check.h"
#include "base/decay.h"
#include "os/tracking.h"
#include "pool/span.h"
#include "process/lock.h"

/* Mappings of other sizes that are kept: the rest is for blocks, which any pool can use. */
static const size_t mappings_max_bytes = TOFT_SEGMENTS_KEPT_BYTES / 4 * 3;

/* The beginning of what is kept. */
typedef struct kept_mapping {
    struct kept_mapping *next;
    size_t bytes;
    unsigned touched_units; /* of a segment */
} kept_mapping;

static struct {
    toft_os_mutex lock;
    kept_mapping *newest; /* some dozens at most */
    size_t bytes;
    size_t segments;  /* how many of them there are */
    size_t low_bytes; /* the least of bytes since the last step of decay */
    uint64_t decayed_at_ms;
} store;

static void set_bytes(size_t bytes) { __atomic_store_n(&store.bytes, bytes, __ATOMIC_RELAXED); }

static size_t known_bytes(void) { return __atomic_load_n(&store.bytes, __ATOMIC_RELAXED); }

static void count_segments(const kept_mapping *kept, int more) {
    if (kept->bytes != TOFT_SEGMENT_BYTES) return;
    __atomic_store_n(&store.segments, store.segments + (size_t)more, __ATOMIC_RELAXED);
}

bool toft_segments_keep_any(void) {
    return __atomic_load_n(&store.segments, __ATOMIC_RELAXED) != 0;
}

static kept_mapping **newest_of(size_t bytes, size_t alignment) {
    kept_mapping **link = &store.newest;
    while (*link != NULL && ((*link)->bytes != bytes || !toft_is_aligned(*link, alignment)))
        link = &(*link)->next;
    return link;
}

static kept_mapping **oldest(void) {
    kept_mapping **link = &store.newest;
    while (*link != NULL && (*link)->next != NULL) link = &(*link)->next;
    return link;
}

/* NULL where there is none. The store's lock is held. */
static kept_mapping *pop(kept_mapping **link) {
    kept_mapping *popped = *link;
    if (popped == NULL) return NULL;
    *link = popped->next;
    TOFT_ASSERT(store.bytes >= popped->bytes);
    set_bytes(store.bytes - popped->bytes);
    count_segments(popped, -1);
    if (store.low_bytes > store.bytes) store.low_bytes = store.bytes;
    return popped;
}

void *toft_segments_take(size_t bytes, size_t alignment, unsigned *touched_units) {
    if (known_bytes() == 0) return NULL;
    toft_lock(&store.lock);
    kept_mapping *taken = pop(newest_of(bytes, alignment));
    toft_unlock(&store.lock);
    if (taken != NULL) *touched_units = taken->touched_units;
    return taken;
}

/* Whether a heap can take it as a block, which is aligned to its size. Large objects' memory may
   have just as many bytes as a huge page, and is aligned so by chance alone. */
static bool is_block(const void *memory, size_t bytes) {
    return (bytes == TOFT_SEGMENT_BYTES || bytes == TOFT_HUGE_PAGE_BYTES) &&
           toft_is_aligned(memory, bytes);
}

bool toft_segments_give(void *memory, size_t bytes, unsigned touched_units) {
    size_t max_bytes = is_block(memory, bytes) ? TOFT_SEGMENTS_KEPT_BYTES : mappings_max_bytes;
    if (toft_tracking() || bytes < TOFT_SEGMENT_BYTES || known_bytes() + bytes > max_bytes)
        return false;
    TOFT_ASSERT(bytes != TOFT_SEGMENT_BYTES || (touched_units & 1) != 0);
    toft_lock(&store.lock);
    bool room = store.bytes <= max_bytes - bytes;
    if (room) {
        kept_mapping *given = memory;
        *given = (kept_mapping){store.newest, bytes, touched_units};
        store.newest = given;
        set_bytes(store.bytes + bytes);
        count_segments(given, 1);
    }
    toft_unlock(&store.lock);
    return room;
}

/* So many bytes or some more, the oldest: the newest may still be in the CPU's cache. */
static void unmap(size_t bytes) {
    for (size_t done_bytes = 0; done_bytes < bytes;) {
        toft_lock(&store.lock);
        kept_mapping *popped = pop(oldest());
        toft_unlock(&store.lock);
        if (popped == NULL) return;
        done_bytes += popped->bytes;
        toft_os_unmap(popped, popped->bytes);
    }
}

void toft_segments_decay(uint64_t now_ms) {
    toft_lock(&store.lock);
    size_t given_bytes =
        toft_decay_step_locked(&store.decayed_at_ms, now_ms, store.bytes, &store.low_bytes);
    toft_unlock(&store.lock);
    unmap(given_bytes);
}

void toft_segments_trim(void) { unmap(SIZE_MAX); }

void toft_segments_lock(void) { toft_os_lock(&store.lock); }
void toft_segments_unlock(void) { toft_os_unlock(&store.lock); }
