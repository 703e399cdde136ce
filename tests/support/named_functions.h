/* SPDX-License-Identifier: MIT */
/* A program that calls the one of its functions that its argument names. Without an argument it
 * lists their names. */
#ifndef TOFT_TESTS_SUPPORT_NAMED_FUNCTIONS_H
#define TOFT_TESTS_SUPPORT_NAMED_FUNCTIONS_H

#include <stdio.h>
#include <string.h>

struct named_function {
    const char *name;
    void (*call)(void);
};
#define NAMED(function) {#function, function}

static inline void call_named(const struct named_function *functions, size_t count, int argc,
                              char **argv) {
    for (size_t i = 0; i < count; i++) {
        if (argc == 1) puts(functions[i].name);
        if (argc == 2 && strcmp(argv[1], functions[i].name) == 0) functions[i].call();
    }
}

#endif
