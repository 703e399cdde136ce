/* SPDX-License-Identifier: MIT */
/* A JSON tree on the shared pool, or in an arena that is current while it lives. */
#include <cjson/cJSON.h>
#include <stdio.h>

#include <toft/adapt/cjson.h>

#include "limited.h"
#include "run.h"

/* NULL where there is no memory. */
static char *print_list(void) {
    cJSON *list = cJSON_CreateArray();
    bool whole = true;
    for (int i = 0; i < 2000 && whole; i++) {
        cJSON *item = cJSON_CreateObject();
        whole = cJSON_AddNumberToObject(item, "number", i) != NULL &&
                cJSON_AddStringToObject(item, "text", "some text") != NULL;
        if (!cJSON_AddItemToArray(list, item)) cJSON_Delete(item); /* NULL is fine */
    }
    char *printed = whole ? cJSON_PrintUnformatted(list) : NULL;
    cJSON_Delete(list);
    return printed;
}

/* Whether what is printed is what was parsed. */
static bool round_trip(const char *text, bool free_alone) {
    cJSON *list = cJSON_Parse(text);
    char *printed = cJSON_PrintUnformatted(list);
    bool equal = printed != NULL && strcmp(printed, text) == 0;
    if (free_alone) {
        cJSON_free(printed);
        cJSON_Delete(list);
    }
    return equal;
}

static bool round_trip_in(toft_arena *arena, const char *text, bool frees_kept) {
    toft_current_use block = toft_current_push(toft_strategy_of_arena(arena));
    bool equal = round_trip(text, frees_kept);
    toft_current_pop(block);
    toft_arena_reset(arena);
    return equal;
}

static bool succeeds(toft_pool *pool) {
    toft_current_use block = toft_current_push(toft_strategy_of_pool(pool));
    char *text = print_list();
    bool equal = text != NULL && round_trip(text, true);
    cJSON_free(text);
    toft_current_pop(block);
    return equal;
}

int main(int argc, char **argv) {
    static const char *const ways[] = {"pool", "arena", "kept", "limited", "malloc", NULL};
    const struct choice choice = choose(argc, argv, ways);
    cJSON_Hooks on_pool = TOFT_CJSON_POOL, in_current = TOFT_CJSON_CURRENT;
    bool limited = way_is(choice, "limited"), kept = way_is(choice, "kept");
    bool in_arena = kept || way_is(choice, "arena");
    if (way_is(choice, "pool")) cJSON_InitHooks(&on_pool);
    if (in_arena || limited) cJSON_InitHooks(&in_current);
    if (limited) return run_limited(succeeds);

    char *text = print_list();
    if (text == NULL) return 1;
    print_whether("on the pool", toft_pool_of(text) == toft_pool_shared());
    toft_arena arena = TOFT_ARENA_INIT;
    bool equal = true;
    for (int i = choice.rounds; i > 0; i--)
        equal = equal && (in_arena ? round_trip_in(&arena, text, kept) : round_trip(text, true));
    print_whether("in an arena", toft_arena_get_stats(&arena).high_water_bytes > 0);
    puts(equal ? "equal" : "different");
    toft_arena_release(&arena);
    cJSON_free(text);
    print_live(toft_pool_shared());
    return equal ? 0 : 1;
}
