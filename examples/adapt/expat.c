/* SPDX-License-Identifier: MIT */
/* A parser on the shared pool, or in an arena that is current while it parses. */
#include <expat.h>
#include <stdio.h>

#include <toft/adapt/expat.h>

#include "run.h"

static void start(void *count, const XML_Char *name, const XML_Char **attributes) {
    (void)name, (void)attributes;
    ++*(int *)count;
}

static XML_Parser parse(const XML_Memory_Handling_Suite *memory, int *count) {
    XML_Parser parser = XML_ParserCreate_MM(NULL, memory, NULL);
    *count = 0;
    XML_SetUserData(parser, count);
    XML_SetStartElementHandler(parser, start);
    XML_Parse(parser, "<list>", 6, 0);
    for (int i = 0; i < 5000; i++) {
        char item[100];
        int length = snprintf(item, sizeof item, "<item number='%d'>text</item>", i);
        if (XML_Parse(parser, item, length, 0) != XML_STATUS_OK) exit(1);
    }
    XML_Parse(parser, "</list>", 7, 1);
    return parser;
}

int main(int argc, char **argv) {
    static const XML_Memory_Handling_Suite on_pool = TOFT_EXPAT_POOL,
                                           in_current = TOFT_EXPAT_CURRENT;
    bool pool = way_is(argc, argv, "pool", true), in_arena = way_is(argc, argv, "arena", false);
    toft_arena arena = TOFT_ARENA_INIT;
    int count = 0;
    for (int i = rounds_of(argc, argv); i > 0; i--) {
        if (in_arena) {
            toft_current_use block = toft_current_push(toft_strategy_of_arena(&arena));
            parse(&in_current, &count);
            toft_current_pop(block);
            toft_arena_reset(&arena); /* instead of XML_ParserFree */
        } else {
            XML_Parser parser = parse(pool ? &on_pool : NULL, &count);
            if (pool && toft_pool_of(parser) != toft_pool_shared()) return 1;
            XML_ParserFree(parser);
        }
    }
    printf("%d elements\n", count);
    printf("in an arena: %s\n", toft_arena_get_stats(&arena).high_water_bytes > 0 ? "yes" : "no");
    toft_arena_release(&arena);
    printf("%zu bytes live\n", toft_pool_get_stats(toft_pool_shared()).live_bytes);
}
