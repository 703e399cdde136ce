/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_VERIFY_PLAN_FILE_H
#define TOFT_LAB_VERIFY_PLAN_FILE_H

#include "verify/plan.h"

#include <stdbool.h>

/* The plan that the command has written; NULL: there is none, and the program runs as it is. */
extern struct toft_verify_plan *plan;

bool open_plan(void);

static inline void count(uint64_t *figure, uint64_t by) {
    __atomic_fetch_add(figure, by, __ATOMIC_RELAXED);
}

/* The number of the plan's module in which an address lies, and the address in its file.
 * False: it isn't one of the plan's. */
bool find_planned_module(uintptr_t address, uint32_t *module, uint64_t *in_file);

/* Addresses may be another module's from now on. Needs the lock, as the call above. */
void forget_planned_modules(void);

#endif
