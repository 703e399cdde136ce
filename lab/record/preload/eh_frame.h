/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_EH_FRAME_H
#define TOFT_LAB_RECORD_EH_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The entries of .eh_frame: where a function is, and the instructions that say where its frame and
 * its saved registers are. Nothing here takes a lock or calls malloc. */

/* Numbers of DWARF's registers on x86-64. */
enum { dwarf_bp = 6, dwarf_sp = 7, dwarf_return_address = 16 };

struct cursor {
    const uint8_t *at;
    const uint8_t *end;
};

/* Where bytes are missing, these return zero or what there is, and the cursor is at its end. */
uint64_t read_fixed(struct cursor *, size_t bytes, bool is_signed);
uint64_t read_uleb(struct cursor *);
int64_t read_sleb(struct cursor *);

struct entry {
    uintptr_t begin, end;
    struct cursor common; /* instructions that hold for many functions */
    struct cursor own;
    uint64_t code_step;
    int64_t data_step;
    bool is_signal_frame;
};

/* The entry of the function that the address is in. */
bool find_entry(uintptr_t address, struct entry *);

#endif
