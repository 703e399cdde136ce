/* SPDX-License-Identifier: MIT */
/* Says "toft" and the version, as the library does that its malloc comes from. */
#include <stdio.h>
#include <stdlib.h>

const char *toft_malloc_version(void);

int main(void) {
    char *text = malloc(100);
    if (text == NULL) return 1;
    snprintf(text, 100, "toft %s", toft_malloc_version());
    puts(text);
    free(text);
}
