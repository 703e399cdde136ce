/* SPDX-License-Identifier: MIT */
#include "process/owned_lock.h"

/* A thread that forks has stolen all locks, its own too, and may use what they guard. */
TOFT_COLD void toft_owned_enter_slow(toft_owned_lock *lock) {
    if (toft_this_thread_forks()) return;
    do {
        toft_owned_leave(lock);
        for (unsigned looks = 0; __atomic_load_n(&lock->wanted, __ATOMIC_RELAXED); looks++)
            toft_os_yield(looks);
    } while (!toft_owned_try_enter(lock));
}

bool toft_steal_begin(void) { return toft_os_barrier_in_all_threads(); }

void toft_steal_wait(const toft_owned_lock *lock) {
    for (unsigned looks = 0; __atomic_load_n(&lock->inside, __ATOMIC_ACQUIRE); looks++)
        toft_os_yield(looks);
}
