/* SPDX-License-Identifier: MIT */
#include <toft/malloc.h>

#include <string.h>

#include "malloc/door.h"
#include "pool/pool.h"

void toft_door_foreign(void *object, const char *call) {
    toft_pool_misuse_by(toft_pool_shared(), call, object,
                        "freed before, or never allocated by toft_malloc");
}

void *toft_malloc(size_t size) { return toft_door_alloc(size); }
void toft_free(void *object) { toft_door_free(object, "toft_free"); }

void toft_free_sized(void *object, size_t size) {
    (void)size;
    toft_door_free(object, "toft_free_sized");
}

void toft_free_aligned_sized(void *object, size_t alignment, size_t size) {
    (void)alignment, (void)size;
    toft_door_free(object, "toft_free_aligned_sized");
}

void *toft_calloc(size_t count, size_t size) { return toft_door_calloc(count, size); }
void *toft_realloc(void *object, size_t size) { return toft_door_realloc(object, size); }

char *toft_strdup(const char *string) {
    size_t size = strlen(string) + 1;
    char *copy = toft_door_alloc(size);
    return copy == NULL ? NULL : memcpy(copy, string, size);
}

void *toft_aligned_alloc(size_t alignment, size_t size) {
    return toft_door_aligned_alloc(alignment, size);
}

size_t toft_malloc_usable_size(const void *object) { return toft_pool_usable_bytes(object); }

int toft_malloc_trim(size_t pad_bytes) {
    (void)pad_bytes;
    return toft_door_trim();
}
