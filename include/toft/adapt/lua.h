/* SPDX-License-Identifier: MIT */
/* Lua's memory from a pool, or from a reap or an arena of its own. Lua tells the size of what it
 * frees.
 *
 *     lua_State *state = lua_newstate(toft_lua_alloc, toft_pool_shared());
 *     lua_State *state = lua_newstate(toft_lua_alloc_in_reap, &reap);
 *     lua_State *state = lua_newstate(toft_lua_alloc_in_arena, &arena);
 *
 * In Lua 5.5 lua_newstate takes a seed besides: lua_newstate(toft_lua_alloc, pool, seed).
 *
 * With a reap or an arena of its own a state needs no lua_close, unless some of its objects have
 * finalizers: the release, or a reset, frees all at once. An arena keeps what the collector frees
 * until then, so it is for a state that answers one request; a reap uses it again.
 *
 * Where there is no memory, making a block smaller may fail too, which Lua 5.3 and older say it
 * must not: they raise a memory error then. This header includes nothing of Lua's. */
#ifndef TOFT_ADAPT_LUA_H
#define TOFT_ADAPT_LUA_H

#include <toft/arena.h>
#include <toft/pool.h>
#include <toft/reap.h>

TOFT_EXTERN_C_BEGIN

/* A lua_Alloc whose context is a toft_pool. */
static inline void *toft_lua_alloc(void *pool, void *object, size_t old_size, size_t new_size) {
    toft_pool *from = (toft_pool *)pool;
    if (object == NULL) return new_size == 0 ? NULL : toft_pool_alloc(from, new_size);
    if (new_size != 0) return toft_pool_resize(from, object, old_size, new_size);
    toft_pool_free(from, object, old_size);
    return NULL;
}

/* Lua doesn't tell what it makes. Nothing is aligned more than this, unless Lua was built with long
   double for its numbers. */
enum { toft_lua_alignment = TOFT_ALIGNOF(void *) > 8 ? TOFT_ALIGNOF(void *) : 8 };

/* A lua_Alloc whose context is a toft_reap. */
static inline void *toft_lua_alloc_in_reap(void *reap, void *object, size_t old_size,
                                           size_t new_size) {
    toft_reap *from = (toft_reap *)reap;
    if (object == NULL)
        return new_size == 0 ? NULL : toft_reap_alloc(from, new_size, toft_lua_alignment);
    if (new_size != 0)
        return toft_reap_resize(from, object, old_size, new_size, toft_lua_alignment);
    toft_reap_free(from, object, old_size, toft_lua_alignment);
    return NULL;
}

/* A lua_Alloc whose context is a toft_arena. */
static inline void *toft_lua_alloc_in_arena(void *arena, void *object, size_t old_size,
                                            size_t new_size) {
    toft_arena *from = (toft_arena *)arena;
    if (object == NULL)
        return new_size == 0 ? NULL : toft_arena_alloc(from, new_size, toft_lua_alignment);
    if (new_size != 0)
        return toft_arena_resize(from, object, old_size, new_size, toft_lua_alignment);
    toft_arena_free_last(from, object, old_size);
    return NULL;
}

TOFT_EXTERN_C_END

#endif
