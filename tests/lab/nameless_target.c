/* SPDX-License-Identifier: MIT */
/* A program whose debug information lacks the functions' names, to be recorded: gcc's -flto with
 * -gsplit-dwarf leaves them in a part that the linker loses, and the symbols have them. A few of
 * the copies outlive their call of `handle`: `keep` makes them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char **kept;
static size_t kept_count;

__attribute__((noinline)) static char *copy(const char *text) {
    char *made = malloc(strlen(text) + 1);
    if (!made) abort();
    return strcpy(made, text);
}

__attribute__((noinline)) static void keep(const char *text) {
    char **larger = realloc(kept, (kept_count + 1) * sizeof *kept);
    if (!larger) abort();
    kept = larger;
    kept[kept_count++] = copy(text);
}

__attribute__((noinline)) static size_t handle(int number) {
    char text[64], *parts[40];
    size_t length = 0;
    for (int i = 0; i != 40; ++i) {
        snprintf(text, sizeof text, "part %d of %d", i, number);
        parts[i] = copy(text);
    }
    if (number % 50 == 0) keep(parts[3]);
    for (int i = 0; i != 40; ++i) {
        length += strlen(parts[i]);
        free(parts[i]);
    }
    return length;
}

int main(void) {
    size_t length = 0;
    for (int i = 0; i != 1000; ++i) length += handle(i);
    printf("%zu %zu\n", length, kept_count);
}
