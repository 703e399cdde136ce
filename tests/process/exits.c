/* SPDX-License-Identifier: MIT */
/* A program that is linked to a shared Toft and exits while its threads are in the middle of it. */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include <toft/arena.h>
#include <toft/pool.h>

#include "lingers.h"

enum { threads = 4, rounds_before_exit = 200, objects = 200 };

static void use_toft(void) {
    static const size_t sizes[] = {16, 100, 1000, 20000, 100000};
    void *kept[objects];
    for (unsigned i = 0; i < objects; i++) {
        size_t size = sizes[i % 5];
        kept[i] = toft_pool_alloc(toft_pool_shared(), size);
        if (kept[i] != NULL) memset(kept[i], 1, size);
    }
    for (unsigned i = 0; i < objects; i++)
        toft_pool_free(toft_pool_shared(), kept[i], sizes[i % 5]);
    toft_arena arena = TOFT_ARENA_INIT;
    void *object = toft_arena_alloc(&arena, 100000, 8);
    if (object != NULL) memset(object, 1, 100000);
    toft_arena_release(&arena);
}

static void *use_for_ever(void *unused) {
    for (;;) {
        use_toft();
        count_round();
    }
    return unused;
}

int main(void) {
    use_toft();
    for (int i = 0; i < threads; i++) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, use_for_ever, NULL) != 0) return 2;
        pthread_detach(thread);
    }
    while (counted_rounds() < rounds_before_exit) sched_yield();
    return 0;
}
