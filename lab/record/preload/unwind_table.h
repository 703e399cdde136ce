/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_UNWIND_TABLE_H
#define TOFT_LAB_RECORD_UNWIND_TABLE_H

#include <stdbool.h>
#include <stdint.h>

/* What .eh_frame says of one address: how to find the frame of the caller. */

enum frame_kind {
    frame_from_sp,    /* the caller's frame begins at sp + offset */
    frame_from_bp,    /* at bp + offset */
    frame_through_bp, /* at the address that lies at bp + offset: stacks that were realigned */
    frame_chained, /* there is no rule: bp may point at the caller's, as -fno-omit-frame-pointer */
    frame_outermost,
    frame_of_signal, /* the kernel called a handler here */
    frame_unknown,
};

enum saved_bp {
    bp_kept,
    bp_at_frame, /* saved at the caller's frame + offset */
    bp_at_bp,    /* saved at bp + offset */
};

struct unwind_rule {
    uint8_t kind;     /* enum frame_kind */
    uint8_t saved_bp; /* enum saved_bp */
    int16_t bp_offset;
    int32_t offset;
};

/* Takes no lock and calls no malloc. The address is one within an instruction of the caller. */
struct unwind_rule find_unwind_rule(uintptr_t address);

/* Moves from an address to where the next rule of the same function begins to hold. False: there is
 * none. The same cost as above. */
bool next_unwind_rule(uintptr_t *address, struct unwind_rule *);

/* Where the function begins that an address is in; the address itself where that isn't known. */
uintptr_t function_of(uintptr_t address);

#endif
