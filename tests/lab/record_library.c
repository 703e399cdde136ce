/* SPDX-License-Identifier: MIT */
/* Loaded and unloaded by record_target.c; two of these are often mapped to the same place. */
#include <stdlib.h>

void allocate_in_library(void);

static void *volatile kept;

void allocate_in_library(void) {
    kept = malloc(RECORD_LIBRARY_SIZE);
    free(kept);
}

/* The program may have something to do while the library is loaded. */
void while_loading(void) __attribute__((weak));

static __attribute__((constructor)) void load(void) {
    if (while_loading) while_loading();
}
