/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_VERIFY_EXITS_H
#define TOFT_LAB_VERIFY_EXITS_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* The moment when a function returns. Its frame is gone where the unwind table says that the
 * caller's begins one word above the stack pointer again; there stands the instruction that leaves
 * the function, a return or a jump. Its first byte becomes `hlt`, which a program may not execute:
 * the signal's handler does what the instruction would have done. No return address changes, so
 * that exceptions and debuggers find the stack as it is. */

/* Watches the exits of the function that begins here. Returns how many of them can't be watched.
 * Needs the lock. */
unsigned watch_exits(uintptr_t function);

/* Whether a fault is such an exit. `frame_end` becomes where the caller's frame begins, and
 * `target` the function that is called in tail position; 0: this one returns. */
bool is_at_exit(const ucontext_t *, uintptr_t *frame_end, uintptr_t *target);

/* Does what stood there. */
void leave_function(ucontext_t *);

#endif
