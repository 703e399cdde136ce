/* SPDX-License-Identifier: MIT */
#include "base/check.h"

#include <stdio.h>
#include <stdlib.h>

void toft_check_failed(const char *condition, const char *file, int line) {
    fprintf(stderr, "toft: %s:%d: this is not true: %s\n", file, line, condition);
    abort();
}
