/* SPDX-License-Identifier: MIT */
/* What the registry and a thread tell one another. */
#ifndef TOFT_POOL_REGISTRY_H
#define TOFT_POOL_REGISTRY_H

#include "pool/pool.h"

void toft_registry_add(toft_pool *pool);
void toft_registry_remove(toft_pool *pool);

/* Calls visit with each pool, with the registry's lock held. */
void toft_registry_visit(void (*visit)(toft_pool *));

/* Has toft_thread_exit called when the calling thread exits. Returns a number that no other thread
   of the process has or had, or 0 when the exit would go unheard. */
uint64_t toft_registry_add_thread(const void *value);

/* Leaves the calling thread's caches to others. It may still use pools: without caches. */
void toft_thread_exit(void);

#endif
