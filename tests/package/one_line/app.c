/* SPDX-License-Identifier: MIT */
/* Uses every strategy, and a second thread, as a program does that is built with Toft's sources. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <toft/toft.h>

enum { objects = 10000 };

static size_t size_of(size_t i) { return 8 + i * 7 % 3000; }

/* Whether the strategy's objects keep what was written, each from end to end. */
static int is_intact(char *const *all) {
    for (size_t i = 0; i < objects; i++) {
        const char expected = (char)(i % 100);
        if (all[i][0] != expected || all[i][size_of(i) - 1] != expected) return 0;
    }
    return 1;
}

static int use_arena(void) {
    static char *all[objects];
    toft_arena arena = TOFT_ARENA_INIT;
    for (size_t i = 0; i < objects; i++) {
        all[i] = toft_arena_alloc(&arena, size_of(i), 16);
        if (all[i] == NULL) return 0;
        memset(all[i], (int)(i % 100), size_of(i));
    }
    int intact = is_intact(all);
    toft_arena_reset(&arena);
    toft_savepoint before = toft_arena_save(&arena);
    char *text = toft_arena_strdup(&arena, "arena");
    intact = intact && text != NULL && strcmp(text, "arena") == 0;
    toft_arena_rewind(&arena, before);
    toft_arena_release(&arena);
    return intact;
}

static int use_reap(void) {
    static char *all[objects];
    toft_reap reap = TOFT_REAP_INIT;
    for (size_t round = 0; round < 3; round++) {
        for (size_t i = 0; i < objects; i++) {
            if (round != 0 && i % 2 == 0) continue;
            all[i] = toft_reap_alloc(&reap, size_of(i), 16);
            if (all[i] == NULL) return 0;
            memset(all[i], (int)(i % 100), size_of(i));
        }
        if (!is_intact(all)) return 0;
        for (size_t i = 1; i < objects; i += 2) toft_reap_free(&reap, all[i], size_of(i), 16);
    }
    toft_reap_release(&reap);
    return 1;
}

static char *shared[objects];

/* On a thread of its own: makes what the main thread frees. */
static void *fill_pool(void *pool) {
    for (size_t i = 0; i < objects; i++) {
        shared[i] = toft_pool_alloc(pool, size_of(i));
        if (shared[i] == NULL) return NULL;
        memset(shared[i], (int)(i % 100), size_of(i));
    }
    return pool;
}

static int use_pool(toft_pool *pool) {
    pthread_t thread;
    void *done = NULL;
    if (pool == NULL || pthread_create(&thread, NULL, fill_pool, pool) != 0) return 0;
    if (pthread_join(thread, &done) != 0 || done == NULL) return 0;
    int intact = is_intact(shared);
    for (size_t i = 0; i < objects; i++) toft_pool_free(pool, shared[i], size_of(i));
    return intact;
}

int main(void) {
    toft_pool *own = toft_pool_create(NULL);
    int intact = use_arena() && use_reap() && use_pool(own) && use_pool(toft_pool_shared());
    toft_pool_destroy(own);
    if (!intact) return 1;
    puts("toft " TOFT_VERSION);
    return 0;
}
