/* SPDX-License-Identifier: MIT */
/* A program without debug information, whose functions have names that would be C++ types to a
 * demangler: `f` is float, `w` is wchar_t. */
#include <stdlib.h>

static void *f(void) { return malloc(40); }

static void w(void) { free(f()); }

int main(void) {
    for (int i = 0; i != 100; ++i) w();
    return 0;
}
