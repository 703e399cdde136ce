/* SPDX-License-Identifier: MIT */
/* A write and a read that a tool must find. */
#ifndef TOFT_TESTS_MISUSE_TOUCH_H
#define TOFT_TESTS_MISUSE_TOUCH_H

#include <stdio.h>

/* So that a tool which sees undefined values does so too, and no compiler leaves it out. */
static inline void touch(volatile char *memory) {
    *memory = 'y';
    if (*memory != 'y') puts("it changed");
}

#endif
