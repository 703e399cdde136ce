/* SPDX-License-Identifier: MIT */
#include "base/misuse.h"

#include <stdlib.h>

#include "base/text.h"

void toft_misuse_of_pool(const char *pool, const void *subject, const char *message) {
    toft_text text = {.length = 0};
    toft_text_add(&text, "toft: ");
    toft_text_add_address(&text, subject);
    toft_text_add(&text, ": ");
    if (pool != NULL) {
        toft_text_add(&text, "pool '");
        toft_text_add(&text, pool);
        toft_text_add(&text, "': ");
    }
    toft_text_add(&text, message);
    toft_text_add(&text, "\n");
    toft_text_write(&text, 2);
    abort();
}

void toft_misuse(const void *subject, const char *message) {
    toft_misuse_of_pool(NULL, subject, message);
}
