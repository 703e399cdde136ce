/* SPDX-License-Identifier: MIT */
#include "lock.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void lock_recorder(struct held_lock *held) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &held->former_signals);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &held->former_cancelability);
    pthread_mutex_lock(&lock);
}

void unlock_recorder(const struct held_lock *held) {
    pthread_mutex_unlock(&lock);
    pthread_setcancelstate(held->former_cancelability, NULL);
    pthread_sigmask(SIG_SETMASK, &held->former_signals, NULL);
}

void renew_recorder_lock(void) { lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; }
