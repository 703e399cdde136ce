/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_STACK_TREE_H
#define TOFT_LAB_RECORD_STACK_TREE_H

#include <stdbool.h>
#include <stdint.h>

/* All stacks so far as a tree: a node is a return address and its caller's node. Its memory is
 * bounded: when it is full it is forgotten, and what comes again is written again, under other
 * numbers. Node 0 is the root. */

bool prepare_stack_tree(void);

/* Without a lock; 0: it isn't there, or just now can't be found. */
uint32_t find_node(uint32_t parent, uintptr_t address);

/* All of the following need the recorder's lock. The node may be there already. */
uint32_t add_node(uint32_t parent, uintptr_t address);

/* Writes the nodes that aren't in the file yet. */
void write_new_nodes(void);

/* Forgets all nodes: addresses mean something else from now on. */
void forget_nodes(void);

/* In a forked child: what wasn't written yet is for the parent to write. */
void renew_stack_tree(void);

#endif
