/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_STACK_TREE_H
#define TOFT_LAB_RECORD_STACK_TREE_H

#include <stdbool.h>
#include <stdint.h>

/* All stacks so far as a tree: a node is a return address and its caller's node. Its memory is
 * bounded: when it is full it is forgotten, and what comes again is written again, under other
 * numbers. Node 0 is the root. */

bool prepare_stack_tree(void);

/* A node's place in the tree. The hash is that of all addresses from the root on, so that it is
 * known before the parent is found; the root's is 0. */
struct tree_place {
    uint32_t parent;
    uint32_t hash;
    uintptr_t address;
};

static inline uint32_t hash_of_call(uint32_t callers_hash, uintptr_t address) {
    const uint64_t key = address ^ (uint64_t)callers_hash << 32 ^ callers_hash;
    return (uint32_t)(key * 0x9e3779b97f4a7c15u >> 32);
}

/* The memory that the next look-up of such a node needs is on its way. */
void prefetch_node(uint32_t hash);

/* Without a lock; 0: it isn't there, or just now can't be found. */
uint32_t find_node(struct tree_place);

/* All of the following need the recorder's lock. The node may be there already. */
uint32_t add_node(struct tree_place);

/* Writes the nodes that aren't in the file yet. */
void write_new_nodes(void);

/* Forgets all nodes: addresses mean something else from now on. */
void forget_nodes(void);

/* In a forked child: what wasn't written yet is for the parent to write. */
void renew_stack_tree(void);

#endif
