/* SPDX-License-Identifier: MIT */
/* The registry: all pools of the process, word of exiting threads, and all locks at a fork. */
#include "pool/registry.h"

static struct {
    toft_os_mutex lock;
    toft_pool *pools; /* newest first, without the process's */
    uint64_t last_pool_id;
    uint64_t last_thread_number;
    enum { registry_new, registry_watched, registry_unwatched } state; /* do we hear of exits? */
    toft_os_key key;
} registry = {.last_pool_id = TOFT_POOL_OF_PROCESS_ID};

void toft_registry_add(toft_pool *pool) {
    toft_os_lock(&registry.lock);
    pool->id = ++registry.last_pool_id;
    pool->next = registry.pools;
    registry.pools = pool;
    toft_os_unlock(&registry.lock);
}

void toft_registry_remove(toft_pool *pool) {
    toft_os_lock(&registry.lock);
    toft_pool **link = &registry.pools;
    while (*link != pool) link = &(*link)->next;
    *link = pool->next;
    toft_os_unlock(&registry.lock);
}

/* The process's pool comes last: a pool's upstream may be an older pool, or that one. */
static void for_each_pool(void (*visit)(toft_pool *)) {
    for (toft_pool *pool = registry.pools; pool != NULL; pool = pool->next) visit(pool);
    visit(&toft_pool_of_process);
}

void toft_registry_visit(void (*visit)(toft_pool *)) {
    toft_os_lock(&registry.lock);
    for_each_pool(visit);
    toft_os_unlock(&registry.lock);
}

/* --- fork: the child's only thread finds each lock free, and what it guards whole --- */

static void lock_pool(toft_pool *pool) {
    toft_os_lock(&pool->lock);
    for (unsigned i = 0; i < TOFT_POOL_DEPOT_LOCKS; i++) toft_os_lock(&pool->depot_locks[i]);
    toft_os_lock(&pool->large.lock);
    toft_os_lock(&pool->heap.lock);
}

static void unlock_pool(toft_pool *pool) {
    toft_os_unlock(&pool->heap.lock);
    toft_os_unlock(&pool->large.lock);
    for (unsigned i = TOFT_POOL_DEPOT_LOCKS; i-- > 0;) toft_os_unlock(&pool->depot_locks[i]);
    toft_os_unlock(&pool->lock);
}

static void before_fork(void) {
    toft_os_lock(&registry.lock);
    for_each_pool(lock_pool);
}

static void after_fork(void) {
    for_each_pool(unlock_pool);
    toft_os_unlock(&registry.lock);
}

/* --- threads --- */

static void at_exit_of_thread(void *value) {
    (void)value;
    toft_thread_exit();
}

uint64_t toft_registry_add_thread(const void *value) {
    toft_os_lock(&registry.lock);
    if (registry.state == registry_new) {
        bool watched = toft_os_key_create(&registry.key, at_exit_of_thread);
        bool safe = toft_os_at_fork(before_fork, after_fork);
        registry.state = watched && safe ? registry_watched : registry_unwatched;
    }
    bool watched = registry.state == registry_watched;
    uint64_t number = watched && toft_os_key_set(registry.key, (void *)(uintptr_t)value)
                          ? ++registry.last_thread_number
                          : 0;
    toft_os_unlock(&registry.lock);
    return number;
}

#if defined(__GNUC__) || defined(__clang__)
/* A thread that exits after a shared library is unloaded must not run its code; and what nobody
   uses any more must not stay behind. At the process's end this runs too, and the pool goes on. */
__attribute__((destructor)) static void at_unload(void) {
    toft_thread_exit();
    toft_pool_trim(&toft_pool_of_process);
    toft_os_lock(&registry.lock);
    if (registry.state == registry_watched) toft_os_key_delete(registry.key);
    registry.state = registry_unwatched;
    toft_os_unlock(&registry.lock);
}
#endif
