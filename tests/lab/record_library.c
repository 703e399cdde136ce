/* SPDX-License-Identifier: MIT */
/* Loaded and unloaded by record_target.c; two of these are often mapped to the same place. */
#include <stdlib.h>

void allocate_in_library(void);

static void *volatile kept;

void allocate_in_library(void) {
    kept = malloc(RECORD_LIBRARY_SIZE);
    free(kept);
}
