/* SPDX-License-Identifier: MIT */
#include "process/owned_lock.h"

#include "base/check.h"

/* Recursive, since reclaiming memory from all pools means trimming each of them. */
static struct {
    toft_os_mutex lock;
    uintptr_t holder; /* a thread's number, or 0; only the holder finds its own here */
    unsigned depth;
} thieves;

void toft_thieves_lock(void) {
    uintptr_t me = toft_os_thread_id();
    if (__atomic_load_n(&thieves.holder, __ATOMIC_RELAXED) != me) {
        toft_os_lock(&thieves.lock);
        __atomic_store_n(&thieves.holder, me, __ATOMIC_RELAXED);
    }
    thieves.depth++;
}

void toft_thieves_unlock(void) {
    TOFT_ASSERT(thieves.holder == toft_os_thread_id() && thieves.depth != 0);
    if (--thieves.depth != 0) return;
    __atomic_store_n(&thieves.holder, 0, __ATOMIC_RELAXED);
    toft_os_unlock(&thieves.lock);
}

/* A thread that forks has stolen all locks, its own too, and may use what they guard. */
TOFT_COLD void toft_owned_enter_slow(toft_owned_lock *lock) {
    if (toft_this_thread_forks()) return;
    do {
        toft_owned_leave(lock);
        toft_thieves_lock();
        toft_thieves_unlock();
    } while (!toft_owned_try_enter(lock));
}

bool toft_steal_begin(void) { return toft_os_barrier_in_all_threads(); }

void toft_steal_wait(const toft_owned_lock *lock) {
    for (unsigned looks = 0; __atomic_load_n(&lock->inside, __ATOMIC_ACQUIRE); looks++)
        toft_os_yield(looks);
}
