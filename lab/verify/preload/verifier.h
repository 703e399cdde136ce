/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_VERIFY_VERIFIER_H
#define TOFT_LAB_VERIFY_VERIFIER_H

#include "record/preload/stack.h"

#include <ucontext.h>

/* What happens at each call of the heap, from all threads, at any time. None changes errno. */

/* When the loader comes to it. The environment says whether a plan is there. */
void start_verifier(void);

/* A new object. NULL: it isn't advised, and the heap is asked for it. */
void *place_advised(size_t bytes, size_t alignment, struct call_site);
void *place_zeroed(size_t bytes, struct call_site); /* all its bytes are zero */

/* A call of the heap for an object that isn't placed: it may show that a region has ended. */
void see_call(struct call_site);

/* For objects that are placed. A use after the region's end ends the process. */
void free_placed(void *, struct call_site);
void *resize_placed(void *, size_t bytes, struct call_site);
size_t placed_bytes(const void *);

/* A range that a system call is about to read or write. */
void see_system_call(const char *name, const void *data, size_t bytes, struct frame caller);

/* A fault, in the signal's handler. False: it is the program's own. When it is an exit of the
 * region's function, its region ends, and the program goes on behind it. */
bool take_fault(ucontext_t *, uintptr_t address);

/* A forked child begins, with this thread alone. */
void renew_verifier(void);

/* From now on, children begin so. False: there is no memory for that. */
bool expect_forks(void);

#endif
