/* SPDX-License-Identifier: MIT */
/* A JSON tree on the shared pool, or in an arena that is current while it lives. */
#include <cjson/cJSON.h>
#include <stdio.h>

#include <toft/adapt/cjson.h>

#include "run.h"

static char *print_list(void) {
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < 2000; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddNumberToObject(item, "number", i);
        cJSON_AddStringToObject(item, "text", "some text");
        cJSON_AddItemToArray(list, item);
    }
    char *printed = cJSON_PrintUnformatted(list);
    cJSON_Delete(list);
    return printed;
}

/* Whether what is printed is what was parsed. */
static bool round_trip(const char *text, bool free_alone) {
    cJSON *list = cJSON_Parse(text);
    char *printed = cJSON_PrintUnformatted(list);
    bool equal = strcmp(printed, text) == 0;
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

int main(int argc, char **argv) {
    cJSON_Hooks on_pool = TOFT_CJSON_POOL, in_current = TOFT_CJSON_CURRENT;
    bool kept = way_is(argc, argv, "kept", false);
    bool in_arena = kept || way_is(argc, argv, "arena", false);
    if (way_is(argc, argv, "pool", true)) cJSON_InitHooks(&on_pool);
    if (in_arena) cJSON_InitHooks(&in_current);

    char *text = print_list();
    printf("on the pool: %s\n", toft_pool_of(text) == toft_pool_shared() ? "yes" : "no");
    toft_arena arena = TOFT_ARENA_INIT;
    bool equal = true;
    for (int i = rounds_of(argc, argv); i > 0; i--)
        equal = equal && (in_arena ? round_trip_in(&arena, text, kept) : round_trip(text, true));
    printf("in an arena: %s\n", toft_arena_get_stats(&arena).high_water_bytes > 0 ? "yes" : "no");
    puts(equal ? "equal" : "different");
    toft_arena_release(&arena);
    cJSON_free(text);
    printf("%zu bytes live\n", toft_pool_get_stats(toft_pool_shared()).live_bytes);
}
