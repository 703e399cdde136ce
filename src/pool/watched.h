/* SPDX-License-Identifier: MIT */
/* What the pool does instead of all caches while a tool watches: see watched.c. */
#ifndef TOFT_POOL_WATCHED_H
#define TOFT_POOL_WATCHED_H

#include "pool/size_class.h"

/* Objects freed last, while a tool watches: they are handed out again only when as many others have
   been freed, so that the tool sees who still uses them. */
#define TOFT_QUARANTINE_PLACES 256U
typedef struct toft_quarantine {
    void *slots[TOFT_QUARANTINE_PLACES]; /* NULL: none */
    unsigned oldest;
} toft_quarantine;

void *toft_watched_take(toft_pool *pool, unsigned size_class, size_t size);
void toft_watched_give(toft_pool *pool, void *object, unsigned size_class, size_t size);
/* The same without knowing the size: a record behind the object has it. */
void toft_watched_give_any(toft_pool *pool, void *object);
size_t toft_watched_size(const void *object);
/* Puts everything in quarantine back into spans. */
void toft_quarantine_empty(toft_pool *pool);
/* How many slots of the class are in quarantine; pool.lock is held. */
size_t toft_quarantine_count(const toft_pool *pool, unsigned size_class);

#endif
