/* SPDX-License-Identifier: MIT */
/* A Lua program on a pool, or on a reap or an arena that goes at once. */
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>

#include <toft/adapt/lua.h>

#include "limited.h"
#include "run.h"

static const char program[] = "local t = {}\n"
                              "for i = 1, 20000 do t[i] = { i, tostring(i) } end\n"
                              "for i = 1, 20000, 2 do t[i] = nil end\n"
                              "collectgarbage()\n"
                              "local n = 0 for _, v in pairs(t) do n = n + #v[2] end\n"
                              "return n";
static const long long expected = 44449;

static lua_State *new_state(lua_Alloc alloc, void *memory) {
#if LUA_VERSION_NUM >= 505
    return lua_newstate(alloc, memory, luaL_makeseed(NULL));
#else
    return lua_newstate(alloc, memory);
#endif
}

static int run_program(lua_State *state) {
    luaL_openlibs(state);
    if (luaL_dostring(state, program) != 0) return lua_error(state);
    return 1;
}

/* Protected: where there is no memory, Lua would else end the whole process. */
static long long run(lua_State *state) {
    if (state == NULL) return -1;
    lua_pushcfunction(state, run_program);
    return lua_pcall(state, 0, 1, 0) == 0 ? (long long)lua_tointeger(state, -1) : -2;
}

static long long run_and_close(lua_State *state) {
    long long sum = run(state);
    if (state != NULL) lua_close(state);
    return sum;
}

static long long run_in_reap(size_t *reap_bytes) {
    toft_reap reap = TOFT_REAP_INIT;
    long long sum = run(new_state(toft_lua_alloc_in_reap, &reap));
    *reap_bytes = toft_reap_get_stats(&reap).high_water_bytes;
    toft_reap_release(&reap); /* without lua_close */
    return sum;
}

/* The next round uses the arena's memory again. */
static long long run_in_arena(toft_arena *arena, bool frees_kept) {
    lua_State *state = new_state(toft_lua_alloc_in_arena, arena);
    long long sum = frees_kept ? run_and_close(state) : run(state);
    toft_arena_reset(arena);
    return sum;
}

static bool succeeds(toft_pool *pool) {
    return run_and_close(new_state(toft_lua_alloc, pool)) == expected;
}

int main(int argc, char **argv) {
    static const char *const ways[] = {"pool", "reap", "arena", "kept", "limited", "malloc", NULL};
    const struct choice choice = choose(argc, argv, ways);
    if (way_is(choice, "limited")) return run_limited(succeeds);
    bool on_pool = way_is(choice, "pool"), in_reap = way_is(choice, "reap");
    bool kept = way_is(choice, "kept"), in_arena = kept || way_is(choice, "arena");
    toft_pool *pool = toft_pool_create(NULL);
    toft_arena arena = TOFT_ARENA_INIT;
    long long sum = 0;
    size_t reap_bytes = 0;
    for (int i = choice.rounds; i > 0; i--)
        sum = in_reap    ? run_in_reap(&reap_bytes)
              : in_arena ? run_in_arena(&arena, kept)
              : on_pool  ? run_and_close(new_state(toft_lua_alloc, pool))
                         : run_and_close(luaL_newstate());
    printf("%lld\n", sum);
    print_whether("on the pool", toft_pool_get_stats(pool).high_water_bytes > 0);
    print_whether("in a reap", reap_bytes > 0);
    print_whether("in an arena", toft_arena_get_stats(&arena).high_water_bytes > 0);
    print_live(pool);
    toft_arena_release(&arena);
    toft_pool_destroy(pool);
    return sum == expected ? 0 : 1;
}
