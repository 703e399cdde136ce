/* SPDX-License-Identifier: MIT */
#include "nodes.h"

#include "plan_file.h"
#include "record/preload/fresh_memory.h"
#include "record/preload/unwind_table.h"

#include <stdatomic.h>
#include <stddef.h>

enum { nodes_most = 1 << 21, chains = 1 << 17, watched_most = 64 };

static struct stack_place *nodes; /* only what is used of them is there */
static atomic_uint table[chains]; /* the newest node of each chain; 0: it is empty */
static uint32_t node_count;
static uintptr_t watched[watched_most]; /* the begins of functions whose exits are watched */
static size_t watched_count;
static bool was_called; /* the region's function, by this process */

/* Exits that can't be watched and were counted. The functions are the same when their library goes
 * and comes again, at other addresses. */
static struct {
    uint64_t function; /* where it begins in the file of the region's module */
    unsigned others;
} counted[watched_most];
static size_t counted_count;

bool prepare_nodes(void) {
    nodes = fresh_memory(nodes_most * sizeof *nodes);
    if (!nodes) return false;
    nodes[0].step = no_step;
    node_count = 1;
    return true;
}

const struct stack_place *place_of_node(uint32_t node) { return &nodes[node]; }

struct tree_place place_below(uint32_t node, uintptr_t address) {
    return (struct tree_place){node, hash_of_call(nodes[node].hash, address), address};
}

static atomic_uint *chain_of(uint32_t hash) { return &table[hash % chains]; }

void prefetch_node(uint32_t hash) { __builtin_prefetch(chain_of(hash)); }

/* A node is complete when it is in its chain, and doesn't change: another thread may empty the
 * table meanwhile. */
uint32_t find_node(struct tree_place place) {
    uint32_t node = atomic_load_explicit(chain_of(place.hash), memory_order_acquire);
    while (node != 0 &&
           (nodes[node].parent != place.parent || nodes[node].address != place.address))
        node = nodes[node].next;
    return node;
}

/* --- where it lies in the plan --- */

unsigned watch_function(uintptr_t begin) {
    for (size_t i = 0; i < watched_count; ++i)
        if (watched[i] == begin) return 0;
    if (watched_count == watched_most) return 1;
    watched[watched_count++] = begin;
    return watch_exits(begin);
}

static void count_others(uintptr_t function, unsigned others) {
    uint32_t module;
    uint64_t in_file = 0;
    (void)find_planned_module(function, &module, &in_file);
    size_t i = 0;
    while (i < counted_count && counted[i].function != in_file) ++i;
    unsigned before = 0;
    if (i < watched_most) {
        if (i == counted_count) counted_count = i + 1;
        before = counted[i].others;
        counted[i].function = in_file;
        if (others > before) counted[i].others = others;
    }
    if (others > before) count(&plan->other_exits, others - before);
}

/* With the function's own exits, or those of the function that a copy was inlined into: there the
 * region is over at last. */
static void come_to_region(uintptr_t function) {
    if (!was_called) count(&plan->processes, 1);
    was_called = true;
    const unsigned others = watch_function(function);
    if (others) count_others(function, others);
}

static bool is_region_function(uintptr_t call, uintptr_t begin) {
    uint32_t module;
    uint64_t in_file;
    if (!find_planned_module(call, &module, &in_file) || module != plan->region_module)
        return false;
    for (uint32_t i = 0; i < plan->part_count; ++i)
        if (in_file - (call - begin) == plan->region_parts[i]) return true;
    return false;
}

/* The first piece of code that the address lies in, of one copy or of any (0). */
static uint32_t find_copy(uint32_t of, uintptr_t address) {
    uint32_t module;
    uint64_t call;
    if (plan->code_count == 0 || !find_planned_module(address - 1, &module, &call) ||
        module != plan->region_module)
        return 0;
    const struct toft_verify_code *code = toft_verify_copies(plan);
    for (uint32_t i = 0; i < plan->code_count; ++i)
        if (call >= code[i].begin && call < code[i].end && (of == 0 || code[i].copy == of))
            return code[i].copy;
    return 0;
}

uint32_t copy_at(uintptr_t address) { return find_copy(0, address); }
bool is_in_copy(uint32_t copy, uintptr_t address) { return find_copy(copy, address) != 0; }

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

uint32_t add_node(struct tree_place place) {
    atomic_uint *chain = chain_of(place.hash);
    const uint32_t known = find_node(place);
    if (known != 0) return known;
    if (node_count == nodes_most) return 0; /* nothing is placed any more */
    struct stack_place *n = &nodes[node_count];
    const struct stack_place *parent = &nodes[place.parent];
    const uintptr_t function = function_of(place.address - 1);
    const uint32_t copy = copy_at(place.address);
    const bool begins = copy != 0 || is_region_function(place.address - 1, function);
    if (begins) come_to_region(function);
    n->address = place.address;
    n->parent = place.parent;
    n->depth = parent->depth + 1;
    n->region_depth = begins ? n->depth : parent->region_depth;
    n->region_copy = begins ? copy : parent->region_copy;
    n->step = next_step(begins ? 0 : parent->step, place.address);
    n->next = atomic_load_explicit(chain, memory_order_relaxed);
    n->hash = place.hash;
    const uint32_t node = node_count++; /* before another thread may find it, and fork */
    atomic_store_explicit(chain, node, memory_order_release);
    return node;
}

/* The nodes stay, since objects refer to them. */
static void empty_table(void) {
    for (size_t i = 0; i < chains; ++i) atomic_store_explicit(&table[i], 0, memory_order_relaxed);
    forget_planned_modules();
}

void renew_nodes(void) {
    empty_table();
    was_called = false;
}

void forget_nodes(void) {
    empty_table();
    watched_count = 0;
}
