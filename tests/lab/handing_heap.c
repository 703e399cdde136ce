/* SPDX-License-Identifier: MIT */
/* A part of a heap: what is resized to nothing goes, and then another thread gets its turn before
 * that call returns. It also calls the heap when it is loaded, which is before the recorder is:
 * first while newlocale() holds the lock of all locales. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

void (*when_gone)(void);

static void *volatile early;
static volatile locale_t early_locale;

static __attribute__((constructor)) void at_load(void) {
    early_locale = newlocale(LC_ALL_MASK, "POSIX", (locale_t)0);
    early = malloc(3801);
    free(early);
}

static void find(const char *name, void *function) {
    void *const found = dlsym(RTLD_NEXT, name);
    memcpy(function, &found, sizeof found);
}

void *realloc(void *p, size_t bytes) {
    void *(*next)(void *, size_t);
    void (*next_free)(void *);
    find("realloc", (void *)&next);
    if (!p || bytes || !when_gone) return next(p, bytes);
    find("free", (void *)&next_free);
    next_free(p);
    when_gone();
    return NULL;
}
