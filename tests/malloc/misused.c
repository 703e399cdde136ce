/* SPDX-License-Identifier: MIT */
/* A program that misuses malloc in the way that it is told, and ends well where nobody stops it. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Through pointers that the compiler can't see through: it knows what malloc and free do. */
static void *(*volatile do_malloc)(size_t) = malloc;
static void (*volatile do_free)(void *) = free;
static void *(*volatile do_realloc)(void *, size_t) = realloc;
static size_t (*volatile usable)(void *) = malloc_usable_size;

enum { large_bytes = 200000, huge_bytes = 3 << 20, small_bytes = 40 };
static char never_allocated[64];

static int misuse(const char *how) {
    char *small = do_malloc(small_bytes), *large = do_malloc(large_bytes);
    char *huge = do_malloc(huge_bytes);
    if (strcmp(how, "static") == 0)
        do_free(never_allocated + 16);
    else if (strcmp(how, "static-realloc") == 0)
        do_realloc(never_allocated + 16, 100);
    else if (strcmp(how, "static-usable") == 0)
        usable(never_allocated + 16);
    else if (strcmp(how, "inside-large") == 0)
        do_free(large + 16);
    else if (strcmp(how, "inside-huge") == 0)
        do_realloc(huge + 1234567, 100);
    else if (strcmp(how, "large-twice") == 0)
        do_free(large), do_free(large);
    else
        return 2;
    do_free(small);
    return 0;
}

int main(int count, char **arguments) {
    int status = count == 2 ? misuse(arguments[1]) : 2;
    puts("end");
    return status;
}
