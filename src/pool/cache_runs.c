/* SPDX-License-Identifier: MIT */
#include "pool/cache_runs.h"

static_assert(TOFT_CACHED_RUN_MAX_BYTES <= TOFT_RUN_MAX_BYTES, "longer ones are no runs");
static_assert(TOFT_CACHED_RUN_MAX_BYTES >> TOFT_CACHED_RUN_CLASSES / 8 == TOFT_MAP_UNIT_BYTES,
              "a list for each class");

static void set_bytes(toft_cache *cache, size_t bytes) {
    toft_cached_runs *runs = &cache->runs;
    toft_cache_set_full_bytes(cache, cache->full_bytes - runs->bytes + bytes);
    __atomic_store_n(&runs->bytes, bytes, __ATOMIC_RELAXED);
}

void toft_cache_give_runs(toft_cache *cache) {
    if (cache->runs.bytes == 0) return;
    toft_large_give_runs(cache->fast.pool, cache->runs.lists, TOFT_CACHED_RUN_CLASSES);
    set_bytes(cache, 0);
}

/* What is too much goes to the store all at once, so that who frees what others take locks it once
   for many. */
static bool make_room(toft_cache *cache, size_t bytes) {
    if (toft_cache_may_keep(cache, bytes)) return true;
    toft_cache_give_runs(cache);
    return toft_cache_may_keep(cache, bytes);
}

static void push(toft_cache *cache, const toft_large *given) {
    toft_large **list = &cache->runs.lists[toft_large_class(given->bytes)];
    toft_large record = *given, *run = given->memory; /* which may overlap */
    record.next = *list;
    *run = record;
    *list = run;
    set_bytes(cache, cache->runs.bytes + record.bytes);
}

static bool pop(toft_cache *cache, toft_large *taken) {
    toft_large **list = &cache->runs.lists[toft_large_class(taken->bytes)];
    const toft_large *run = *list;
    if (run == NULL) return false;
    *list = run->next;
    taken->memory = run->memory;
    taken->block = run->block;
    set_bytes(cache, cache->runs.bytes - taken->bytes);
    return true;
}

bool toft_cache_take_run(toft_cache *cache, toft_large *taken) {
    if (taken->bytes > TOFT_CACHED_RUN_MAX_BYTES) return false;
    toft_owned_enter(&cache->lock);
    bool found = pop(cache, taken);
    toft_owned_leave(&cache->lock);
    return found;
}

bool toft_cache_keep_run(toft_cache *cache, const toft_large *given) {
    toft_owned_enter(&cache->lock);
    toft_cache_count_exchange(cache);
    bool keeps = make_room(cache, given->bytes);
    if (keeps) push(cache, given);
    toft_owned_leave(&cache->lock);
    return keeps;
}

bool toft_cache_join_runs(toft_cache *cache) {
    toft_owned_enter(&cache->lock);
    bool any = cache->runs.bytes != 0;
    toft_cache_give_runs(cache);
    toft_owned_leave(&cache->lock);
    return any;
}
