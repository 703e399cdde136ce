/* SPDX-License-Identifier: MIT */
/* A shared library with a pool of its own, loaded and unloaded by pool_unload.cpp. */
#include <string.h>

#include <toft/pool.h>

__attribute__((visibility("default"))) int module_use_pools(void);
__attribute__((visibility("default"))) void *module_alloc(size_t size);
__attribute__((visibility("default"))) void module_free(void *object, size_t size);

static int use(toft_pool *pool) {
    void *objects[200];
    for (size_t i = 0; i < 200; i++) {
        objects[i] = toft_pool_alloc(pool, i * i);
        if (objects[i] == NULL) return 1;
        memset(objects[i], 'x', i * i);
    }
    for (size_t i = 0; i < 200; i++) toft_pool_free(pool, objects[i], i * i);
    return 0;
}

int module_use_pools(void) {
    toft_pool *own = toft_pool_create(NULL);
    int failed = own == NULL || use(own) != 0 || use(toft_pool_shared()) != 0;
    toft_pool_destroy(own);
    return failed;
}

void *module_alloc(size_t size) { return toft_pool_alloc(toft_pool_shared(), size); }
void module_free(void *object, size_t size) { toft_pool_free(toft_pool_shared(), object, size); }
