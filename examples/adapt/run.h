/* SPDX-License-Identifier: MIT */
/* How a program of this folder is run:  NAME [WAY [ROUNDS]]
 *
 * The ways are where the library's memory comes from. More rounds than one are for measuring. */
#ifndef TOFT_EXAMPLES_ADAPT_RUN_H
#define TOFT_EXAMPLES_ADAPT_RUN_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <toft/pool.h>

struct choice {
    const char *way;
    int rounds;
};

/* The way that was asked for, or the first of them, which end with NULL. For a way that isn't one
   of them the program ends: it would measure something else. */
static inline struct choice choose(int argc, char **argv, const char *const *ways) {
    struct choice choice = {argc < 2 ? ways[0] : argv[1], argc < 3 ? 1 : atoi(argv[2])};
    for (const char *const *way = ways; *way != NULL; way++)
        if (strcmp(choice.way, *way) == 0 && choice.rounds > 0) return choice;
    fputs("usage: NAME [WAY [ROUNDS]], where a way is one of:", stderr);
    for (const char *const *way = ways; *way != NULL; way++) fprintf(stderr, " %s", *way);
    fputc('\n', stderr);
    exit(2);
}

static inline bool way_is(struct choice choice, const char *way) {
    return strcmp(choice.way, way) == 0;
}

static inline void print_whether(const char *what, bool holds) {
    printf("%s: %s\n", what, holds ? "yes" : "no");
}

static inline void print_live(toft_pool *pool) {
    printf("%zu bytes live\n", toft_pool_get_stats(pool).live_bytes);
}

#endif
