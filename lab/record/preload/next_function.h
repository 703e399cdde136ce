/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_NEXT_FUNCTION_H
#define TOFT_LAB_RECORD_NEXT_FUNCTION_H

#include <dlfcn.h>
#include <string.h>

/* Sets a pointer to a function to that of the next library which has one of that name, or to NULL:
 * the function that a preloaded one stands before. */
static inline void find_next(const char *name, void *pointer) {
    void *const found = dlsym(RTLD_NEXT, name);
    memcpy(pointer, &found, sizeof found);
}

/* A list `NAMES(F)` of `F(name)` makes a struct of such pointers, and finds them: at load, since a
 * handler may not call dlsym(), nor who waits for a thread that is loading a library. */
#define DECLARE_NEXT(name) __typeof__(&name) name;
#define FIND_NEXT(name) find_next(#name, (void *)&next.name);

#endif
