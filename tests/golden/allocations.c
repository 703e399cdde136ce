/* SPDX-License-Identifier: MIT */
/* Inlined calls whose instructions are counted: see instructions.sh. */
#include <toft/arena.h>
#include <toft/pool.h>

typedef struct node {
    struct node *children[3];
} node;

void *alloc_8(toft_arena *arena) { return toft_arena_alloc(arena, 8, 8); }
void *alloc_24(toft_arena *arena) { return toft_arena_alloc(arena, 24, 8); }
void *alloc_1_unaligned(toft_arena *arena) { return toft_arena_alloc(arena, 1, 1); }
void *alloc_4096(toft_arena *arena) { return toft_arena_alloc(arena, 4096, 8); }
void *alloc_16_aligned_16(toft_arena *arena) { return toft_arena_alloc(arena, 16, 16); }
void *alloc_64_aligned_64(toft_arena *arena) { return toft_arena_alloc(arena, 64, 64); }
void *alloc_4096_aligned_4096(toft_arena *arena) { return toft_arena_alloc(arena, 4096, 4096); }
node *new_node(toft_arena *arena) { return toft_new(arena, node); }
node *new_nodes(toft_arena *arena, size_t n) { return toft_new_array(arena, node, n); }
bool free_last_node(toft_arena *arena, node *freed) {
    return toft_arena_free_last(arena, freed, sizeof *freed);
}

void *pool_shared_alloc_64(void) { return toft_pool_alloc(toft_pool_shared(), 64); }
void pool_shared_free_64(void *freed) { toft_pool_free(toft_pool_shared(), freed, 64); }
void *pool_handle_alloc_64(toft_pool_cache *handle) { return toft_pool_cache_alloc(handle, 64); }
void pool_handle_free_64(toft_pool_cache *handle, void *freed) {
    toft_pool_cache_free(handle, freed, 64);
}
