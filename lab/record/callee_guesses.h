/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_CALLEE_GUESSES_H
#define TOFT_LAB_RECORD_CALLEE_GUESSES_H

#include <stddef.h>
#include <stdint.h>

/* Which function the next node of the tree of stacks is in. The recorder and the reader guess
 * alike, from the nodes before it in the file: a call leads to the function that it led to last. */

struct toft_callee {
    uint64_t begin; /* of the function, in its module's file */
    uint32_t module;
    uint32_t reserved;
};

enum {
    toft_callees_guessed = 1 << 15,
    toft_callers_known = 1 << 20, /* so many nodes back, the address of a caller is known */
};

/* Where the guess lies, by the address of the call in its file. */
static inline size_t toft_callee_of(uint32_t caller) {
    return (size_t)(caller * UINT64_C(0x9e3779b97f4a7c15) >> 32) % toft_callees_guessed;
}

#endif
