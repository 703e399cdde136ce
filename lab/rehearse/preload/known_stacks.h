/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_REHEARSE_KNOWN_STACKS_H
#define TOFT_LAB_REHEARSE_KNOWN_STACKS_H

#include "record/preload/stack.h"

/* What a call of the heap is, known again by where it comes from.
 *
 * To walk each stack would take longer than the heap does. But where the innermost frame lies, and
 * where it and two more return to, mostly tell the whole stack. Where they don't, as many return
 * addresses further out are compared as it takes, at the places where they were found. So a stack
 * is walked when it is new, and now and then once more, to see whether it is the one that it was
 * taken for. */

/* May be combined. */
enum {
    call_is_advised = 1,
    call_is_by_hook = 2,     /* the hook would place its object too */
    call_is_of_operator = 4, /* C++'s new: nobody asks for the size of its object, or resizes it */
    call_is_unknown = 8,     /* the stack can't be followed; this isn't remembered */
};

bool prepare_known_stacks(void);

/* By one thread. */
unsigned kind_of_call(struct call_site);

/* What was known no longer holds: a library was unloaded. */
void forget_known_stacks(void);

/* By who knows the plan: walks the stack. */
unsigned judge_call(struct call_stack *, struct frame caller);

#endif
