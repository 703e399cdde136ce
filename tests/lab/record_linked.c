/* SPDX-License-Identifier: MIT */
/* A library that is linked to a program, and frees what it has when the loader ends it. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>

enum { count = 100 };
static void *objects[count];
int record_linked_is_killed;

static __attribute__((constructor)) void begin(void) {
    for (int i = 0; i < count; ++i) objects[i] = malloc(4301);
}

static __attribute__((destructor)) void end(void) {
    for (int i = 0; i < count; ++i) free(objects[i]);
    if (record_linked_is_killed) raise(SIGKILL);
}
