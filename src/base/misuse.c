/* SPDX-License-Identifier: MIT */
#include "base/misuse.h"

#include <stdio.h>
#include <stdlib.h>

void toft_misuse(const void *subject, const char *message) {
    fprintf(stderr, "toft: %p: %s\n", subject, message);
    abort();
}
