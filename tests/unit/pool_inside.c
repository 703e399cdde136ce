/* SPDX-License-Identifier: MIT */
#include "pool_inside.h"

#include "pool/any.h"

const toft_pool_cache *toft_test_first_cache(const toft_pool *pool) { return &pool->caches->fast; }

bool toft_test_is_growth(const toft_pool *pool, const void *lock) {
    return lock == &pool->heap.growth;
}

bool toft_test_is_pool_lock(const toft_pool *pool, const void *lock) { return lock == &pool->lock; }

void *toft_test_borrow(toft_pool *pool, size_t size) {
    return toft_try_borrow(toft_pool_thread_cache(pool), size);
}

size_t toft_test_claimed_bytes(const toft_pool *pool) {
    return __atomic_load_n(&pool->claimed_bytes, __ATOMIC_RELAXED);
}

size_t toft_test_magazines(const toft_pool *pool) {
    const toft_depot *depot = &pool->depots[TOFT_MAGAZINE_CLASS];
    return __atomic_load_n(&depot->internal_slots, __ATOMIC_RELAXED);
}

void toft_test_set_limit(toft_pool *pool, size_t bytes) { pool->heap.limit_bytes = bytes; }

void toft_test_set_exchanges(toft_pool *pool, unsigned exchanges) {
    toft_cache *cache = (toft_cache *)toft_pool_thread_cache(pool);
    __atomic_store_n(&cache->exchanges, (uint16_t)exchanges, __ATOMIC_RELAXED);
}

void toft_test_note_wrong_size(toft_pool *pool, const void *object, size_t size) {
    toft_pool_note_wrong_size(pool, object, toft_pool_class_of(size));
}

const void *toft_test_take_misuse(toft_pool *pool, size_t *bytes) {
    toft_misused noted = toft_pool_take_misuse(pool);
    *bytes = noted.freed_as.bytes;
    return noted.subject;
}
