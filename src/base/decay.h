/* SPDX-License-Identifier: MIT */
/* How idle memory comes back by itself: at each step, half of what lay idle since the last one. */
#ifndef TOFT_BASE_DECAY_H
#define TOFT_BASE_DECAY_H

#include "base/bits.h"

enum { toft_decay_step_ms = 500, toft_decay_halvings_max = 20 };

/* A child in a time namespace of its own may find the clock far behind; another thread is at most
   little ahead. */
static inline bool toft_decay_is_set_back(uint64_t then_ms, uint64_t now_ms) {
    return then_ms > now_ms && then_ms - now_ms > 10000;
}

/* One for each step between two times; so many at most that next to nothing is left. None where
   another thread, which looked at the clock later, was first. */
static inline unsigned toft_decay_halvings(uint64_t then_ms, uint64_t now_ms) {
    if (toft_decay_is_set_back(then_ms, now_ms)) return 1;
    if (now_ms < then_ms) return 0;
    uint64_t steps = (now_ms - then_ms) / toft_decay_step_ms;
    return (unsigned)(steps < toft_decay_halvings_max ? steps : (uint64_t)toft_decay_halvings_max);
}

/* Begins a step, where it is time for one and no other thread has begun it. *then_ms: the one
   before, or 0. Relaxed: this only chooses a thread; what that one does is under locks. */
static inline bool toft_decay_begin_step(uint64_t *stepped_at_ms, uint64_t now_ms,
                                         uint64_t *then_ms) {
    *then_ms = __atomic_load_n(stepped_at_ms, __ATOMIC_RELAXED);
    return toft_decay_halvings(*then_ms, now_ms) != 0 &&
           __atomic_compare_exchange_n(stepped_at_ms, then_ms, now_ms, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
}

/* What goes back of an amount that was idle. */
static inline size_t toft_decay_share(size_t idle, unsigned halvings) {
    return idle - (idle >> halvings);
}

/* What a step leaves to be given back in small parts, until the next one. It counts what its store
   counts, under the store's lock, and may be read without as a hint. */
typedef struct toft_debt {
    size_t owed;
} toft_debt;

static inline bool toft_debt_is_owed(const toft_debt *debt) {
    return __atomic_load_n(&debt->owed, __ATOMIC_RELAXED) != 0;
}

static inline void toft_debt_set(toft_debt *debt, size_t owed) {
    __atomic_store_n(&debt->owed, owed, __ATOMIC_RELAXED);
}

/* low: the least that was idle since the step. What was used again since isn't owed any more. */
static inline void toft_debt_forgive(toft_debt *debt, size_t low) {
    toft_debt_set(debt, toft_min(debt->owed, toft_decay_share(low, 1)));
}

/* What of it is to be given back now. The store's lock may be free until toft_debt_settle. */
static inline size_t toft_debt_take(toft_debt *debt, size_t part) {
    size_t taken = toft_min(part, debt->owed);
    toft_debt_set(debt, debt->owed - taken);
    return taken;
}

/* given: less where there is no more, and more where pieces go as a whole. */
static inline void toft_debt_settle(toft_debt *debt, size_t taken, size_t given) {
    size_t more = given < taken ? SIZE_MAX : given - taken;
    toft_debt_set(debt, debt->owed - toft_min(debt->owed, more));
}

/* A step of a store that knows when its last one was, under its lock; nothing where it isn't time
   for one. *low: the least that was idle since then. Returns what goes back, and begins anew with
   the rest. */
static inline size_t toft_decay_step_locked(uint64_t *stepped_at_ms, uint64_t now_ms, size_t idle,
                                            size_t *low) {
    unsigned halvings = toft_decay_halvings(*stepped_at_ms, now_ms);
    if (halvings == 0) return 0;
    size_t given = toft_decay_share(*low, halvings);
    *stepped_at_ms = now_ms;
    *low = idle - given;
    return given;
}

#endif
