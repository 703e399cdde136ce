/* SPDX-License-Identifier: MIT */
/* A shared library with a Toft of its own, loaded and unloaded by unload.cpp. */
#include <string.h>

#include <toft/arena.h>

__attribute__((visibility("default"))) int module_use_arenas(void);

int module_use_arenas(void) {
    for (size_t bytes = 100; bytes < 10000000; bytes *= 10) {
        toft_arena arena = TOFT_ARENA_INIT;
        void *memory = toft_arena_alloc(&arena, bytes, 8);
        if (memory == NULL) return 1;
        memset(memory, 'x', bytes);
        toft_arena_release(&arena);
    }
    return 0;
}
