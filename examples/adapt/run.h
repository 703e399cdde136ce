/* SPDX-License-Identifier: MIT */
/* How a program of this folder is run:  NAME [WAY [ROUNDS]]
 *
 * The ways are where the library's memory comes from; one is chosen by its name. More rounds than
 * one are for measuring. */
#ifndef TOFT_EXAMPLES_ADAPT_RUN_H
#define TOFT_EXAMPLES_ADAPT_RUN_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Whether the way was asked for; the first one is the default. */
static inline bool way_is(int argc, char **argv, const char *way, bool is_default) {
    return argc < 2 ? is_default : strcmp(argv[1], way) == 0;
}

static inline int rounds_of(int argc, char **argv) { return argc < 3 ? 1 : atoi(argv[2]); }

#endif
