/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include <toft/toft.h>

int main(void) {
    toft_arena arena = TOFT_ARENA_INIT;
    char *text = toft_arena_strdup(&arena, "toft " TOFT_VERSION);
    int *numbers = toft_new_array(&arena, int, 1000000);
    if (text == NULL || numbers == NULL) return 1;
    if (strcmp(toft_version(), TOFT_VERSION) != 0) return 1;
    numbers[999999] = 1;
    puts(text);
    toft_arena_release(&arena);
    toft_trim();
    return 0;
}
