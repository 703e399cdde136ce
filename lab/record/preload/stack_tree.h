/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_STACK_TREE_H
#define TOFT_LAB_RECORD_STACK_TREE_H

#include <stdbool.h>
#include <stdint.h>

/* All stacks so far as a tree: a node is a return address and its caller's node. Its memory is
 * bounded: when it is full it is forgotten, and what comes again is written again, under other
 * numbers. Node 0 is the root. */

bool prepare_stack_tree(void);

/* Looks it up without a lock; takes the recorder's lock for a new one. */
uint32_t stack_node_of(uint32_t parent, uintptr_t address);

/* Writes the nodes that aren't in the file yet. All of the following need the recorder's lock. */
void write_new_nodes(void);

/* Forgets all nodes: addresses mean something else from now on. */
void forget_nodes(void);

/* In a forked child: what wasn't written yet is for the parent to write. */
void renew_stack_tree(void);

#endif
