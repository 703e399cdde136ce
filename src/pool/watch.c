/* SPDX-License-Identifier: MIT */
#include "pool/watch.h"

/* Two ticks of the clock at least; and calls that take as long as a thread may lose in them. */
enum { pause_ms = 8, busy_calls = 64 };
static_assert(TOFT_POOL_CLASSES < UINT8_MAX, "a class plus one is no byte");

static void begin(toft_cache *own, unsigned size_class) {
    own->watched_calls = 0;
    if (toft_watch_has(own, size_class)) return;
    toft_owned_enter(&own->lock);
    toft_cache_drop(own, size_class);
    own->watched = (uint8_t)(size_class + 1);
    toft_owned_leave(&own->lock);
}

static bool is_pause(toft_cache *own, uint16_t now_ms) {
    bool was_pause = (uint16_t)(now_ms - own->looked_at_ms) >= pause_ms;
    own->looked_at_ms = now_ms;
    return was_pause;
}

void toft_watch(toft_pool *pool, toft_cache *own, unsigned size_class) {
    uint64_t now_ms = toft_os_milliseconds();
    toft_pool_decay_all_at(pool, now_ms);
    if (is_pause(own, (uint16_t)now_ms)) {
        begin(own, size_class);
    } else if (toft_watch_has(own, size_class) && ++own->watched_calls == busy_calls) {
        own->watched = 0;
        own->busy_at_ms = (uint16_t)now_ms;
    }
}

void toft_watch_after_large(toft_pool *pool, toft_cache *own) {
    uint64_t now_ms = toft_os_milliseconds();
    toft_pool_decay_all_at(pool, now_ms);
    if (own->watched == 0 && own->busy_at_ms != (uint16_t)now_ms) begin(own, own->exchanged);
    own->looked_at_ms = (uint16_t)now_ms;
}
