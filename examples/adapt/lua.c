/* SPDX-License-Identifier: MIT */
/* A Lua program on a pool, and on a reap that goes at once. */
#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>

#include <toft/adapt/lua.h>

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

int main(void) {
    toft_pool *pool = toft_pool_create(NULL);
    lua_State *state = lua_newstate(toft_lua_alloc, pool);
    long long sum = run(state);
    lua_close(state);
    printf("pool: %lld, %zu bytes live\n", sum, toft_pool_get_stats(pool).live_bytes);
    toft_pool_destroy(pool);

    toft_reap reap = TOFT_REAP_INIT;
    state = lua_newstate(toft_lua_alloc_in_reap, &reap);
    printf("reap: %lld\n", run(state));
    toft_reap_release(&reap); /* without lua_close */
}
