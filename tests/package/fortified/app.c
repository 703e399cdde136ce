/* SPDX-License-Identifier: MIT */
/* What the compiler may believe of the arena's results: built with -D_FORTIFY_SOURCE, which aborts
   where more is written to an object than the compiler takes it to hold. */
#include <stdio.h>
#include <string.h>

#include <toft/arena.h>

static const char short_text[] = "1234567";
static const char long_text[] = "a text that is longer than it was";

/* An object of 8 bytes, grown in place and then written to. Each way in a function of its own, so
   that the compiler knows where the object came from. */
#define WAY_TO_GROW(name, make)                                                                    \
    static __attribute__((noinline)) bool name(toft_arena *arena) {                                \
        char *object = make;                                                                       \
        if (object == NULL || !toft_arena_grow_last(arena, object, 8, sizeof long_text))           \
            return false;                                                                          \
        memset(object, 'x', sizeof long_text);                                                     \
        memcpy(object, long_text, sizeof long_text);                                               \
        strcpy(object, long_text);                                                                 \
        return strlen(object) == strlen(long_text);                                                \
    }
WAY_TO_GROW(by_alloc, toft_arena_alloc(arena, 8, 1))
WAY_TO_GROW(by_array, toft_arena_alloc_array(arena, 8, 1, 1))
WAY_TO_GROW(by_new, (char *)toft_new(arena, double))
WAY_TO_GROW(by_calloc, toft_arena_calloc(arena, 8, 1, 1))
WAY_TO_GROW(by_memdup, toft_arena_memdup(arena, short_text, 8, 1))
WAY_TO_GROW(by_strdup, toft_arena_strdup(arena, short_text))
WAY_TO_GROW(by_strndup, toft_arena_strndup(arena, short_text, 7))
WAY_TO_GROW(by_resize, toft_arena_resize(arena, NULL, 0, 8, 1))

/* The same by toft_arena_resize, which gives the same object back. */
static __attribute__((noinline)) bool resized(toft_arena *arena) {
    char *object = toft_arena_calloc(arena, 8, 1, 1);
    char *grown = toft_arena_resize(arena, object, 8, sizeof long_text, 1);
    if (grown == NULL || grown != object) return false;
    strcpy(object, long_text);
    return strcmp(grown, long_text) == 0;
}

/* A copy holds the pointers of its original. */
static __attribute__((noinline)) bool copied(toft_arena *arena) {
    int number = 1;
    struct holder {
        int *to;
    } holder = {&number};
    struct holder *copy = toft_arena_memdup(arena, &holder, sizeof holder, sizeof(void *));
    if (copy == NULL) return false;
    number = 2;
    *copy->to = 3;
    return number == 3;
}

int main(void) {
    static const struct {
        const char *name;
        bool (*run)(toft_arena *arena);
    } ways[] = {
        {"alloc", by_alloc},     {"alloc_array", by_array}, {"new", by_new},
        {"calloc", by_calloc},   {"memdup", by_memdup},     {"strdup", by_strdup},
        {"strndup", by_strndup}, {"resize", by_resize},     {"resize in place", resized},
        {"copy", copied},
    };
    toft_arena arena = TOFT_ARENA_INIT;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (!ways[i].run(&arena)) {
            fprintf(stderr, "%s: not as it should be\n", ways[i].name);
            return 1;
        }
    }
    toft_arena_release(&arena);
    printf("toft %s\n", TOFT_VERSION);
    return 0;
}
