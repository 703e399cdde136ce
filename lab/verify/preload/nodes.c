/* SPDX-License-Identifier: MIT */
#include "nodes.h"

#include "exits.h"
#include "plan_file.h"
#include "record/preload/unwind_table.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

enum { nodes_most = 1 << 21, chains = 1 << 17 };

static struct stack_place *nodes; /* only what is used of them is there */
static atomic_uint table[chains]; /* the newest node of each chain; 0: it is empty */
static uint32_t node_count;
static uintptr_t part_begins[toft_verify_parts_most]; /* 0: it wasn't called yet */

bool prepare_nodes(void) {
    void *memory = mmap(NULL, nodes_most * sizeof *nodes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return false;
    nodes = memory;
    nodes[0].step = no_step;
    node_count = 1;
    return true;
}

const struct stack_place *place_of_node(uint32_t node) { return &nodes[node]; }

static atomic_uint *chain_of(uint32_t parent, uintptr_t address) {
    const uint64_t key = (address ^ (uint64_t)parent << 40 ^ parent) * 0x9e3779b97f4a7c15u;
    return &table[(key >> 32) % chains];
}

/* A node is complete when it is in its chain, and doesn't change: another thread may empty the
 * table meanwhile. */
uint32_t find_node(uint32_t parent, uintptr_t address) {
    uint32_t node = atomic_load_explicit(chain_of(parent, address), memory_order_acquire);
    while (node != 0 && (nodes[node].parent != parent || nodes[node].address != address))
        node = nodes[node].next;
    return node;
}

/* --- where it lies in the plan --- */

static bool was_called(void) {
    for (uint32_t i = 0; i < plan->part_count; ++i)
        if (part_begins[i] != 0) return true;
    return false;
}

static bool is_region_function(uintptr_t call) {
    uint32_t module, part = 0;
    uint64_t in_file;
    const uintptr_t begin = function_of(call);
    if (!find_planned_module(call, &module, &in_file) || module != plan->region_module)
        return false;
    while (part < plan->part_count && in_file - (call - begin) != plan->region_parts[part]) ++part;
    if (part == plan->part_count) return false;
    if (part_begins[part] != begin) {
        if (!was_called()) count(&plan->processes, 1);
        part_begins[part] = begin;
        watch_exits(begin);
    }
    return true;
}

/* The step that follows one at this address, in order. */
static uint32_t next_step(uint32_t step, uintptr_t address) {
    uint32_t module;
    uint64_t in_file;
    if (step == no_step || !find_planned_module(address - 1, &module, &in_file)) return no_step;
    const struct toft_verify_step *steps = toft_verify_steps(plan);
    const struct toft_verify_step *of = &steps[step];
    for (uint32_t i = of->first; i < of->first + of->count; ++i)
        if (steps[i].module == module && steps[i].address == in_file + 1) return i;
    return no_step;
}

uint32_t add_node(uint32_t parent, uintptr_t address) {
    atomic_uint *chain = chain_of(parent, address);
    const uint32_t known = find_node(parent, address);
    if (known != 0) return known;
    if (node_count == nodes_most) return 0; /* nothing is placed any more */
    struct stack_place *n = &nodes[node_count];
    const bool begins = is_region_function(address - 1);
    n->address = address;
    n->parent = parent;
    n->depth = nodes[parent].depth + 1;
    n->region_depth = begins ? n->depth : nodes[parent].region_depth;
    n->step = next_step(begins ? 0 : nodes[parent].step, address);
    n->next = atomic_load_explicit(chain, memory_order_relaxed);
    atomic_store_explicit(chain, node_count, memory_order_release);
    return node_count++;
}

/* The nodes stay, since objects refer to them. */
void forget_nodes(void) {
    for (size_t i = 0; i < chains; ++i) atomic_store_explicit(&table[i], 0, memory_order_relaxed);
    forget_planned_modules();
    memset(part_begins, 0, sizeof part_begins);
}
