/* SPDX-License-Identifier: MIT */
/* A lock that costs its owner, one thread, no atomic operation, and everybody else a system call.
 *
 *     the owner                          a thief, under a lock that excludes others
 *     inside = true                      wanted = true
 *     if (wanted) wait for the thief     a barrier in all threads
 *     ... what the lock guards ...       wait until inside is false, or give up if it is true
 *     inside = false                     ... what the lock guards ...
 *                                        wanted = false
 *
 * This is Dekker's mutual exclusion. Each side stores its own flag and then loads the other's, and
 * a full barrier must stand between the two. The owner's is left to the thief: the system executes
 * one in every running thread (membarrier on Linux). If the owner's load came before that barrier,
 * then so did its store, and the thief sees it; if the load came after, it sees the thief's flag.
 * Known as an asymmetric Dekker lock, and from biased locking in Java's virtual machines;
 * tests/model/owned_lock.cpp checks it in every schedule, with the barrier and without.
 *
 * ThreadSanitizer knows of no such barrier: under it, the owner executes an ordinary one. */
#ifndef TOFT_PROCESS_OWNED_LOCK_H
#define TOFT_PROCESS_OWNED_LOCK_H

#include "base/sanitizers.h"
#include "process/lock.h"

typedef struct toft_owned_lock {
    bool inside; /* stored by the owner alone */
    bool wanted; /* stored by thieves alone */
} toft_owned_lock;

/* --- for the owner, which must not hold the lock already --- */

/* Waits until the thief of this lock is done, and for nobody else: the owner may hold locks that
   thieves of other locks wait for, as within a call of a pool's upstream. */
void toft_owned_enter_slow(toft_owned_lock *lock);

static inline bool toft_owned_try_enter(toft_owned_lock *lock) {
#if defined(TOFT_THREAD_SANITIZER)
    __atomic_store_n(&lock->inside, true, __ATOMIC_SEQ_CST);
    return !__atomic_load_n(&lock->wanted, __ATOMIC_SEQ_CST);
#else
    __atomic_store_n(&lock->inside, true, __ATOMIC_RELAXED);
    /* The compiler must keep the order; for the processor the thief's barrier does. */
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    /* Acquire: pairs with the thief's release of wanted, so that what it changed is seen. */
    return !__atomic_load_n(&lock->wanted, __ATOMIC_ACQUIRE);
#endif
}

static inline void toft_owned_enter(toft_owned_lock *lock) {
    if (TOFT_UNLIKELY(!toft_owned_try_enter(lock))) toft_owned_enter_slow(lock);
}

/* Release: pairs with the thief's acquire of inside. */
static inline void toft_owned_leave(toft_owned_lock *lock) {
    __atomic_store_n(&lock->inside, false, __ATOMIC_RELEASE);
}

/* --- for thieves, of each lock one at a time --- */

/* Asks for one lock. When it has asked for all that it needs, a thief calls toft_steal_begin once,
   and then toft_steal_wait for each; afterwards toft_steal_end, for each too. */
static inline void toft_steal_ask(toft_owned_lock *lock) {
    /* The barrier of toft_steal_begin is executed by this thread too, so that this store comes
       before the load of inside. ThreadSanitizer sees the sequentially consistent order instead. */
    __atomic_store_n(&lock->wanted, true, __ATOMIC_SEQ_CST);
}
/* False where the system has no barrier for all threads: nothing may be stolen then. */
bool toft_steal_begin(void);
/* Waits until the owner is outside. The thief must not hold a lock that the owner needs to go
   on. */
void toft_steal_wait(const toft_owned_lock *lock);
/* Whether this lock was asked for, and not ended: for thieves, which exclude each other. */
static inline bool toft_steal_is_asked(const toft_owned_lock *lock) {
    return __atomic_load_n(&lock->wanted, __ATOMIC_RELAXED);
}
/* Whether the owner is outside, instead of waiting for it. If so, it stays there until
   toft_steal_end. */
static inline bool toft_steal_finds_outside(const toft_owned_lock *lock) {
    /* Acquire: pairs with the owner's release of inside, as in toft_steal_wait. */
    return !__atomic_load_n(&lock->inside, __ATOMIC_ACQUIRE);
}
static inline void toft_steal_end(toft_owned_lock *lock) {
    __atomic_store_n(&lock->wanted, false, __ATOMIC_RELEASE);
}

#endif
