/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_STACK_H
#define TOFT_LAB_RECORD_STACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The stack of a thread, as it was at the last event and as it is now. */

/* A deeper stack is known by its inner frames only: half as many, or more. */
enum { frames_most = 1 << 14 };

/* Where a function called the next inner one. */
struct frame {
    uintptr_t address; /* where the call returns to */
    uintptr_t sp;      /* after it returned; the address lies in the word below */
    uintptr_t bp;
    const uintptr_t *saved_bp; /* where bp was read; the word below sp when it was kept */
    uintptr_t saved_bp_value;  /* and what was there */
    uint32_t node;             /* of the tree of stacks, */
    uint32_t hash;             /* and what it is looked up by */
};

struct call_stack {
    uintptr_t low, high; /* of the memory in which the thread's stack lies */
    size_t count;
    struct frame *frames; /* outermost first, so that what stays keeps its index */
    struct frame *fresh;  /* innermost first: those found anew; as much room */
    size_t cut;           /* stacks that weren't followed to their outermost frame */
    size_t switched;      /* events on stacks that aren't the thread's own */
    bool in_signal_handler;
    bool is_new; /* it has nodes that no stack had before it */
    bool is_own; /* the stack that the thread was begun with, and not a coroutine's */
};

/* A call, from within the function that was called, which has a frame pointer: two words, which
 * stay in registers on the way to where they are needed. */
struct call_site {
    const uintptr_t *returns_to;
    uintptr_t bp;
};
#define THIS_CALL()                                                                                \
    ((struct call_site){.returns_to = (const uintptr_t *)__builtin_frame_address(0) + 1,           \
                        .bp = *(const uintptr_t *)__builtin_frame_address(0)})

static inline struct frame callers_frame(struct call_site call) {
    return (struct frame){
        .address = *call.returns_to, .sp = (uintptr_t)(call.returns_to + 1), .bp = call.bp};
}
#define CALLERS_FRAME() callers_frame(THIS_CALL())

/* The node of the innermost frame. */
uint32_t walk(struct call_stack *, struct frame innermost);

/* In all threads: rules of addresses don't hold any longer. */
void forget_unwind_rules(void);

#endif
