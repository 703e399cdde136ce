/* SPDX-License-Identifier: MIT */
#include "pool/segments.h"

#include "base/check.h"
#include "base/decay.h"
#include "os/tracking.h"
#include "pool/span.h"
#include "process/lock.h"

enum { kept_max = TOFT_SEGMENTS_KEPT_BYTES / TOFT_SEGMENT_BYTES };

/* The beginning of a segment in the store. */
typedef struct kept_segment {
    struct kept_segment *next;
    unsigned touched_units;
} kept_segment;

static struct {
    toft_os_mutex lock;
    kept_segment *newest;
    size_t count;
    size_t low; /* the least of count since the last step of decay */
    uint64_t decayed_at_ms;
} store;

static void set_count(size_t count) { __atomic_store_n(&store.count, count, __ATOMIC_RELAXED); }

bool toft_segments_keep_any(void) { return __atomic_load_n(&store.count, __ATOMIC_RELAXED) != 0; }

static kept_segment *pop(bool oldest) {
    toft_lock(&store.lock);
    kept_segment **link = &store.newest;
    while (oldest && *link != NULL && (*link)->next != NULL) link = &(*link)->next;
    kept_segment *popped = *link;
    TOFT_ASSERT((popped == NULL) == (store.count == 0));
    if (popped != NULL) {
        *link = popped->next;
        set_count(store.count - 1);
        if (store.low > store.count) store.low = store.count;
    }
    toft_unlock(&store.lock);
    return popped;
}

void *toft_segments_take(unsigned *touched_units) {
    kept_segment *taken = pop(false);
    if (taken != NULL) *touched_units = taken->touched_units;
    return taken;
}

bool toft_segments_give(void *memory, unsigned touched_units) {
    if (toft_tracking()) return false;
    toft_segment_forget_spans(memory); /* what is freed of a destroyed pool's finds none there */
    TOFT_ASSERT((uintptr_t)memory % TOFT_SEGMENT_BYTES == 0 && (touched_units & 1) != 0);
    toft_lock(&store.lock);
    bool room = store.count < kept_max;
    if (room) {
        kept_segment *given = memory;
        *given = (kept_segment){store.newest, touched_units};
        store.newest = given;
        set_count(store.count + 1);
    }
    toft_unlock(&store.lock);
    return room;
}

/* The oldest: the newest may still be in the CPU's cache. */
static void unmap(size_t count) {
    kept_segment *popped;
    while (count-- != 0 && (popped = pop(true)) != NULL) toft_os_unmap(popped, TOFT_SEGMENT_BYTES);
}

void toft_segments_decay(uint64_t now_ms) {
    toft_lock(&store.lock);
    size_t given = toft_decay_step_locked(&store.decayed_at_ms, now_ms, store.count, &store.low);
    toft_unlock(&store.lock);
    unmap(given);
}

void toft_segments_trim(void) { unmap(kept_max); }

void toft_segments_lock(void) { toft_os_lock(&store.lock); }
void toft_segments_unlock(void) { toft_os_unlock(&store.lock); }
