/* SPDX-License-Identifier: MIT */
/* A Lua program on a pool, or on a reap or an arena that goes at once. */
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>

#include <toft/adapt/lua.h>

#include "run.h"

static const char program[] = "local t = {}\n"
                              "for i = 1, 20000 do t[i] = { i, tostring(i) } end\n"
                              "for i = 1, 20000, 2 do t[i] = nil end\n"
                              "collectgarbage()\n"
                              "local n = 0 for _, v in pairs(t) do n = n + #v[2] end\n"
                              "return n";

static long long run(lua_State *state) {
    if (state == NULL) return -1;
    luaL_openlibs(state);
    return luaL_dostring(state, program) == 0 ? (long long)lua_tointeger(state, -1) : -2;
}

static long long run_and_close(lua_State *state) {
    long long sum = run(state);
    lua_close(state);
    return sum;
}

static long long run_in_reap(void) {
    toft_reap reap = TOFT_REAP_INIT;
    long long sum = run(lua_newstate(toft_lua_alloc_in_reap, &reap));
    toft_reap_release(&reap); /* without lua_close */
    return sum;
}

/* The next round uses the arena's memory again. */
static long long run_in_arena(toft_arena *arena, bool frees_kept) {
    lua_State *state = lua_newstate(toft_lua_alloc_in_arena, arena);
    long long sum = frees_kept ? run_and_close(state) : run(state);
    toft_arena_reset(arena);
    return sum;
}

int main(int argc, char **argv) {
    bool on_pool = way_is(argc, argv, "pool", true), in_reap = way_is(argc, argv, "reap", false);
    bool kept = way_is(argc, argv, "kept", false);
    bool in_arena = kept || way_is(argc, argv, "arena", false);
    toft_pool *pool = toft_pool_create(NULL);
    toft_arena arena = TOFT_ARENA_INIT;
    long long sum = 0;
    for (int i = rounds_of(argc, argv); i > 0; i--)
        sum = in_reap    ? run_in_reap()
              : in_arena ? run_in_arena(&arena, kept)
              : on_pool  ? run_and_close(lua_newstate(toft_lua_alloc, pool))
                         : run_and_close(luaL_newstate());
    printf("%lld, %zu bytes live\n", sum, toft_pool_get_stats(pool).live_bytes);
    toft_arena_release(&arena);
    toft_pool_destroy(pool);
}
