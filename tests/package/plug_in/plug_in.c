/* SPDX-License-Identifier: MIT */
/* A plug-in with a Toft inside. */
#include <pthread.h>
#include <string.h>

#include <toft/toft.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int plug_in_works(void);
EXPORTED const void *plug_in_pool(void);

/* Allocates objects of many sizes from the pool; NULL when one fails. */
static void *use_pool(void *pool) {
    for (size_t i = 0; i < 3000; i++) {
        char *object = toft_pool_alloc(pool, 100 + i * 37);
        if (object == NULL) return NULL;
        memset(object, 'x', 100 + i * 37);
        toft_pool_free(pool, object, 100 + i * 37);
    }
    return pool;
}

int plug_in_works(void) {
    pthread_t thread;
    void *done = NULL;
    if (pthread_create(&thread, NULL, use_pool, toft_pool_shared()) != 0) return 0;
    if (pthread_join(thread, &done) != 0 || done == NULL) return 0;
    toft_arena arena = TOFT_ARENA_INIT;
    const char *text = toft_arena_strdup(&arena, "text");
    toft_reap reap = TOFT_REAP_INIT;
    void *object = toft_reap_alloc(&reap, 100, 8);
    toft_reap_free(&reap, object, 100, 8);
    toft_reap_release(&reap);
    toft_current_use use = toft_current_push(toft_strategy_of_arena(&arena));
    void *in_arena = toft_current_alloc(10);
    toft_current_pop(use);
    int fine = text != NULL && object != NULL && in_arena != NULL;
    toft_arena_release(&arena);
    return fine && use_pool(toft_pool_shared()) != NULL;
}

const void *plug_in_pool(void) { return toft_pool_shared(); }
