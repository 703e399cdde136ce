/* SPDX-License-Identifier: MIT */
/* All pools of the process: what happens to the process happens to each of them. */
#ifndef TOFT_POOL_REGISTRY_H
#define TOFT_POOL_REGISTRY_H

#include "pool/pool.h"

void toft_registry_add(toft_pool *pool);
/* False, and nothing is done, where it is no pool that was added and not removed since. */
bool toft_registry_remove(toft_pool *pool);

/* Listens to the process. The load does it; who expects forks sooner does it before that. */
void toft_registry_listen(void);

#endif
