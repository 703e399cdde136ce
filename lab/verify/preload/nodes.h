/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_VERIFY_NODES_H
#define TOFT_LAB_VERIFY_NODES_H

#include "exits.h"
#include "record/preload/stack_tree.h" /* its find_node() and add_node() are here another's */

/* All stacks so far as a tree. A node knows how far along the advised stacks it lies, which follows
 * from its parent: so each new call is looked up once in the plan. */

struct stack_place {
    uintptr_t address; /* where the call returns to */
    uint32_t parent;
    uint32_t step;         /* of the plan; no_step: on none of the advised stacks */
    uint32_t depth;        /* the outermost frame's is 1 */
    uint32_t region_depth; /* of the innermost call of the region's function; 0: there is none */
    uint32_t region_copy;  /* of the function, that was inlined there; 0: none was */
    uint32_t next;         /* in the same chain of the table */
    uint32_t hash;
};

enum { no_step = INT32_MAX };

bool prepare_nodes(void);

/* The inlined copy of the region's function in which a call lies, by the address it returns to;
 * 0: it lies in none. */
uint32_t copy_at(uintptr_t address);
bool is_in_copy(uint32_t copy, uintptr_t address);

/* Watches where the function returns, once. Returns how many of its exits can't be watched; 0 when
 * it is watched already. Needs the lock. */
unsigned watch_function(uintptr_t begin);

/* In a forked child, which is a process of its own. A node may be half-made: none that is there is
 * looked up any more. */
void renew_nodes(void);

/* What is never forgotten, so that the stacks of all objects can be told. Node 0 is the root. */
const struct stack_place *place_of_node(uint32_t node);

/* The place of what is called from there. */
struct tree_place place_below(uint32_t node, uintptr_t address);

#endif
