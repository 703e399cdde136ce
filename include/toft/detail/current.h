/* SPDX-License-Identifier: MIT */
/* The inside of <toft/current.h>: how a strategy is one word. */
#ifndef TOFT_DETAIL_CURRENT_H
#define TOFT_DETAIL_CURRENT_H

#include <toft/current.h>

TOFT_EXTERN_C_BEGIN

/* Each structure begins at a multiple of 4. A pool has 0, and so has none: the shared one. */
#define TOFT_STRATEGY_ARENA ((uintptr_t)1)
#define TOFT_STRATEGY_REAP ((uintptr_t)2)
#define TOFT_STRATEGY_KINDS ((uintptr_t)3)

TOFT_ALWAYS_INLINE toft_strategy toft_strategy_of_arena(toft_arena *arena) {
    toft_strategy strategy = {(uintptr_t)arena | TOFT_STRATEGY_ARENA};
    return strategy;
}

TOFT_ALWAYS_INLINE toft_strategy toft_strategy_of_reap(toft_reap *reap) {
    toft_strategy strategy = {(uintptr_t)reap | TOFT_STRATEGY_REAP};
    return strategy;
}

/* The shared pool has one word only, so that strategies can be compared. */
TOFT_ALWAYS_INLINE toft_strategy toft_strategy_of_pool(toft_pool *pool) {
    toft_strategy strategy = {pool == toft_pool_shared() ? 0 : (uintptr_t)pool};
    return strategy;
}

TOFT_EXTERN_C_END

#endif
