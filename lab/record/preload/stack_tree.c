/* SPDX-License-Identifier: MIT */
#include "stack_tree.h"

#include "fresh_memory.h"
#include "modules.h"
#include "output.h"
#include "record/callee_guesses.h"
#include "unwind_table.h"

#include <stdatomic.h>

enum {
    table_size = 1 << 20, /* a power of two; 16 MiB, of which only what is used is there */
    nodes_most = table_size / 4 * 3,
    pending_room = 64 << 10,
    node_bytes_most = 4 * 10,
};

/* The number is stored last and read first. */
struct slot {
    _Atomic uint32_t node; /* 0: empty */
    _Atomic uint32_t parent;
    _Atomic uintptr_t address;
};

static struct slot *table;
static size_t nodes_in_table;
static uint32_t last_node;

static struct toft_callee *callees;
static uint32_t *calls; /* the addresses of the last nodes, in their files */

/* Odd while the table is being emptied. A reader that sees two values of it has read rubbish. */
static atomic_uint emptyings;

static struct {
    unsigned char data[pending_room];
    size_t bytes;
    uint32_t first, count;
} pending;

bool prepare_stack_tree(void) {
    table = fresh_memory(table_size * sizeof *table);
    callees = fresh_memory(toft_callees_guessed * sizeof *callees);
    calls = fresh_memory(toft_callers_known * sizeof *calls);
    return table != NULL && callees != NULL && calls != NULL;
}

static struct slot *first_slot_of(uint32_t hash) { return &table[hash & (table_size - 1)]; }

void prefetch_node(uint32_t hash) { __builtin_prefetch(first_slot_of(hash)); }

/* The slot of this node, or the empty one where it belongs. */
static struct slot *slot_of(struct tree_place place) {
    struct slot *s = first_slot_of(place.hash);
    for (size_t looked_at = 0; looked_at < table_size; ++looked_at) {
        if (atomic_load_explicit(&s->node, memory_order_acquire) == 0) return s;
        if (atomic_load_explicit(&s->address, memory_order_relaxed) == place.address &&
            atomic_load_explicit(&s->parent, memory_order_relaxed) == place.parent)
            return s;
        if (++s == table + table_size) s = table;
    }
    return s; /* seen while it is being emptied */
}

static void put_number(uint64_t value) {
    while (value >= 0x80) {
        pending.data[pending.bytes++] = (unsigned char)(value | 0x80);
        value >>= 7;
    }
    pending.data[pending.bytes++] = (unsigned char)value;
}

void write_new_nodes(void) {
    if (pending.count == 0) return;
    take_compressed();
    const struct toft_stacks_payload payload = {pending.first, (uint32_t)pending.bytes};
    const struct part parts[] = {{&payload, sizeof payload},
                                 compressed(pending.data, pending.bytes)};
    write_block(toft_block_stacks, pending.count, parts, 2);
    pending.count = 0;
    pending.bytes = 0;
}

/* What is the same for all nodes of an address, which are many. */
struct description {
    uintptr_t address;
    uint32_t in_file;
    uint32_t behind_function;
    struct toft_callee function;
};

enum { descriptions_most = 1 << 13 };
static struct description descriptions[descriptions_most];

static const struct description *describe(uintptr_t address) {
    struct description *d =
        &descriptions[(address * 0x9e3779b97f4a7c15u >> 32) % descriptions_most];
    if (d->address == address) return d;
    const uintptr_t call = address - 1; /* a call may be a function's last word */
    const struct place place = place_of(call);
    const uintptr_t function = function_of(call);
    const uint64_t in_file = address - place.bias;
    const uint32_t behind = function == call ? 0 : (uint32_t)(address - function);
    *d = (struct description){
        .address = address,
        .in_file = (uint32_t)in_file,
        .behind_function = behind,
        .function = {.begin = in_file - behind, .module = place.module},
    };
    return d;
}

static void put_function(const struct toft_callee *function, struct toft_callee *guess) {
    if (function->begin == guess->begin && function->module == guess->module) {
        put_number(0);
        return;
    }
    put_number(1 + (uint64_t)function->module);
    put_number(toft_folded(function->begin - guess->begin));
    *guess = *function;
}

static void write_node(uint32_t node, uint32_t parent, uintptr_t address) {
    const struct description *d = describe(address);
    const bool is_known = parent != 0 && node - parent < toft_callers_known;
    const uint32_t caller = is_known ? calls[parent % toft_callers_known] : 0;
    if (pending.bytes > pending_room - node_bytes_most) write_new_nodes();
    if (pending.count++ == 0) pending.first = node;
    put_number(node - parent);
    put_function(&d->function, &callees[toft_callee_of(caller)]);
    put_number(d->behind_function);
    calls[node % toft_callers_known] = d->in_file;
}

static void empty_table(void) {
    atomic_fetch_add(&emptyings, 1);
    madvise(table, table_size * sizeof *table, MADV_DONTNEED); /* it reads as zeroes now */
    nodes_in_table = 0;
    atomic_fetch_add(&emptyings, 1);
}

void forget_nodes(void) {
    empty_table();
    memset(descriptions, 0, sizeof descriptions);
}

void renew_stack_tree(void) {
    atomic_store(&emptyings, 0); /* another thread may have been emptying it */
    forget_nodes();
    last_node = 0;
    pending.count = 0;
    pending.bytes = 0;
    madvise(callees, toft_callees_guessed * sizeof *callees, MADV_DONTNEED);
}

uint32_t add_node(struct tree_place place) {
    if (nodes_in_table == nodes_most) empty_table();
    struct slot *s = slot_of(place);
    const uint32_t known = atomic_load_explicit(&s->node, memory_order_relaxed);
    if (known != 0) return known;
    const uint32_t node = ++last_node;
    write_node(node, place.parent, place.address);
    atomic_store_explicit(&s->address, place.address, memory_order_relaxed);
    atomic_store_explicit(&s->parent, place.parent, memory_order_relaxed);
    atomic_store_explicit(&s->node, node, memory_order_release);
    ++nodes_in_table;
    return node;
}

uint32_t find_node(struct tree_place place) {
    const unsigned before = atomic_load_explicit(&emptyings, memory_order_acquire);
    struct slot *s = slot_of(place);
    const uint32_t node = atomic_load_explicit(&s->node, memory_order_acquire);
    const bool is_it = node != 0 &&
                       atomic_load_explicit(&s->address, memory_order_relaxed) == place.address &&
                       atomic_load_explicit(&s->parent, memory_order_relaxed) == place.parent;
    atomic_thread_fence(memory_order_acquire);
    const bool is_sound =
        before % 2 == 0 && atomic_load_explicit(&emptyings, memory_order_relaxed) == before;
    return is_it && is_sound ? node : 0;
}
