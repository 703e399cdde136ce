/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_MODULES_H
#define TOFT_LAB_RECORD_MODULES_H

#include <stdint.h>

/* The executable and the libraries in which stacks' addresses lie. Needs the recorder's lock. */

struct place {
    uint32_t module;
    uintptr_t bias; /* an address less this is one in the module's file */
};

/* The module of an address; written to the file when it is new. Module 0 is what lies in no file:
 * code that was made at run time. */
struct place place_of(uintptr_t address);

/* What was known no longer holds: a library was unloaded. */
void forget_modules(void);

/* The file is another one, in a forked child. */
void renew_modules(void);

#endif
