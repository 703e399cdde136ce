/* SPDX-License-Identifier: MIT */
/* A parser on the shared pool, or in an arena that is current while it parses. */
#include <expat.h>
#include <stdio.h>

#include <toft/adapt/expat.h>

#include "limited.h"
#include "run.h"

enum { expected = 5001 };

static void start(void *count, const XML_Char *name, const XML_Char **attributes) {
    (void)name, (void)attributes;
    ++*(int *)count;
}

static bool parse_part(XML_Parser parser, const char *part, bool is_last) {
    return XML_Parse(parser, part, (int)strlen(part), is_last) == XML_STATUS_OK;
}

/* How many elements there are; -1 without a parser, or where it has no memory. */
static int parse(XML_Parser parser) {
    if (parser == NULL) return -1;
    int count = 0;
    XML_SetUserData(parser, &count);
    XML_SetStartElementHandler(parser, start);
    bool done = parse_part(parser, "<list>", false);
    for (int i = 0; i < 5000 && done; i++) {
        char item[100];
        snprintf(item, sizeof item, "<item number='%d'>text</item>", i);
        done = parse_part(parser, item, false);
    }
    done = done && parse_part(parser, "</list>", true);
    return done ? count : -1;
}

static int parse_and_free(const XML_Memory_Handling_Suite *memory, bool *on_pool) {
    XML_Parser parser = XML_ParserCreate_MM(NULL, memory, NULL);
    int count = parse(parser);
    *on_pool = toft_pool_of(parser) == toft_pool_shared();
    XML_ParserFree(parser); /* NULL is fine */
    return count;
}

static const XML_Memory_Handling_Suite on_shared_pool = TOFT_EXPAT_POOL,
                                       in_current = TOFT_EXPAT_CURRENT;

static int parse_in(toft_arena *arena) {
    toft_current_use block = toft_current_push(toft_strategy_of_arena(arena));
    int count = parse(XML_ParserCreate_MM(NULL, &in_current, NULL));
    toft_current_pop(block);
    toft_arena_reset(arena); /* instead of XML_ParserFree */
    return count;
}

static bool succeeds(toft_pool *pool) {
    bool on_pool;
    toft_current_use block = toft_current_push(toft_strategy_of_pool(pool));
    int count = parse_and_free(&in_current, &on_pool);
    toft_current_pop(block);
    return count == expected;
}

int main(int argc, char **argv) {
    static const char *const ways[] = {"pool", "arena", "limited", "malloc", NULL};
    const struct choice choice = choose(argc, argv, ways);
    if (way_is(choice, "limited")) return run_limited(succeeds);
    const XML_Memory_Handling_Suite *memory = way_is(choice, "pool") ? &on_shared_pool : NULL;
    bool in_arena = way_is(choice, "arena"), on_pool = false;
    toft_arena arena = TOFT_ARENA_INIT;
    int count = 0;
    for (int i = choice.rounds; i > 0; i--)
        count = in_arena ? parse_in(&arena) : parse_and_free(memory, &on_pool);
    printf("%d elements\n", count);
    print_whether("on the pool", on_pool);
    print_whether("in an arena", toft_arena_get_stats(&arena).high_water_bytes > 0);
    toft_arena_release(&arena);
    print_live(toft_pool_shared());
    return count == expected ? 0 : 1;
}
