/* SPDX-License-Identifier: MIT */
#include "base/check.h"

#include <stdlib.h>

#include "base/text.h"

void toft_check_failed(const char *condition, const char *file, int line) {
    toft_text text = {.length = 0};
    toft_text_add(&text, "toft: ");
    toft_text_add(&text, file);
    toft_text_add(&text, ":");
    toft_text_add_number(&text, (size_t)line);
    toft_text_add(&text, ": this is not true: ");
    toft_text_add(&text, condition);
    toft_text_add(&text, "\n");
    toft_text_write(&text, 2);
    abort();
}
