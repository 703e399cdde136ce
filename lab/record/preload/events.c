/* SPDX-License-Identifier: MIT */
#include "events.h"

#include "output.h"
#include "stack_tree.h"

#include <stdatomic.h>
#include <sys/single_threaded.h>

/* Ticks are counted in steps of so many bits. With several threads, some ten nanoseconds: what a
 * malloc hands from one thread to another takes longer. A single thread's events are in order
 * anyway, and less than half a millisecond says enough about lifetimes. */
enum { shift_with_threads = 5, shift_of_single_thread = 20 };

enum { number_most = 10 }; /* bytes of a number of 64 bits */

/* The most that an event can add to each column, and what is there for each event. A column that
 * is full before the others ends the block. */
static const uint32_t most[toft_column_count] = {1, number_most, 2 * (1 + number_most),
                                                 2 * number_most, number_most};
static const uint32_t usual[toft_column_count] = {1, 2, 4, 3, 3};

static uint32_t column_bytes(uint32_t capacity, unsigned column) {
    return capacity * usual[column] + 64;
}

/* Places of touched addresses, a power of two as the capacity is. */
static size_t places(uint32_t capacity) { return capacity / 8; }

static size_t touches_most(uint32_t capacity) { return 2 * (size_t)capacity; }

size_t events_bytes(uint32_t capacity) {
    size_t bytes = toft_guesses_bytes(capacity) + places(capacity) * sizeof(uint64_t);
    bytes += touches_most(capacity) * sizeof(struct toft_maker);
    for (unsigned i = 0; i < toft_column_count; ++i) bytes += column_bytes(capacity, i);
    return bytes;
}

static struct filling *current_of(const struct events *e) {
    return atomic_load_explicit(&e->current, memory_order_relaxed);
}

void drop_events(struct events *e) {
    struct filling *other = &e->fillings[current_of(e) == e->fillings];
    *other = (struct filling){.used = {0}};
    memset(e->touched, 0, places(e->capacity) * sizeof *e->touched);
    toft_begin_guesses(&e->guesses, e->capacity, e->guesses_memory);
    e->time_shift = __libc_single_threaded ? shift_of_single_thread : shift_with_threads;
    atomic_store_explicit(&e->current, other, memory_order_release);
}

void prepare_events(struct events *e, uint32_t capacity, unsigned char *memory) {
    e->capacity = capacity;
    e->guesses_memory = memory;
    memory += toft_guesses_bytes(capacity);
    e->touched = (uint64_t *)(void *)memory;
    memory += places(capacity) * sizeof *e->touched;
    e->makers = (struct toft_maker *)(void *)memory;
    memory += touches_most(capacity) * sizeof *e->makers;
    for (unsigned i = 0; i < toft_column_count; ++i) {
        e->columns[i] = memory;
        memory += column_bytes(capacity, i);
    }
    atomic_store_explicit(&e->current, e->fillings, memory_order_relaxed);
    drop_events(e);
}

bool events_are_full(const struct events *e) {
    const struct filling *f = current_of(e);
    if (e->time_shift == shift_of_single_thread && !__libc_single_threaded) return true;
    if (f->used[toft_column_kinds] == e->capacity) return true;
    for (unsigned i = 0; i < toft_column_count; ++i)
        if (f->used[i] + most[i] > column_bytes(e->capacity, i)) return true;
    return false;
}

static void put(const struct events *e, struct filling *f, unsigned column, uint64_t value) {
    unsigned char *const begin = e->columns[column] + f->used[column];
    unsigned char *to = begin;
    while (value >= 0x80) {
        *to++ = (unsigned char)(value | 0x80);
        value >>= 7;
    }
    *to++ = (unsigned char)value;
    f->used[column] += (uint32_t)(to - begin);
}

/* --- addresses --- */

enum { touch_bits = 19, unit_bits = 3 }; /* an address of 48 bits fits in beside a touch */
_Static_assert(2 * toft_block_events_most < 1 << touch_bits, "a touch has room beside an address");

static uint64_t *place_of_touch(const struct events *e, uint64_t address) {
    return &e->touched[(address * 0x9e3779b97f4a7c15u >> 32) % places(e->capacity)];
}

/* How many touches ago this address was touched last; 0: that isn't known. */
static uint32_t touched_ago(const struct events *e, const struct filling *f, uint64_t address) {
    const uint64_t former = *place_of_touch(e, address);
    if (former >> touch_bits != address >> unit_bits || address % (1u << unit_bits) != 0) return 0;
    return f->touches - (uint32_t)(former & ((1u << touch_bits) - 1));
}

static void touch(struct events *e, struct filling *f, uint64_t address, struct toft_maker maker) {
    e->makers[f->touches] = maker;
    if (address % (1u << unit_bits) == 0)
        *place_of_touch(e, address) = address >> unit_bits << touch_bits | f->touches;
    ++f->touches;
}

static struct toft_maker put_gone(const struct events *e, struct filling *f,
                                  const struct toft_site_guess *site, uint64_t address) {
    if (address == toft_guessed_free(&e->guesses, site)) {
        put(e, f, toft_column_addresses, toft_gone_guessed);
        return toft_maker_guessed(&e->guesses, site);
    }
    const uint32_t ago = touched_ago(e, f, address);
    if (ago != 0) {
        put(e, f, toft_column_addresses, toft_gone_touched + ago);
        return e->makers[f->touches - ago];
    }
    const uint64_t rotated = toft_rotated(address);
    put(e, f, toft_column_addresses, toft_gone_written);
    put(e, f, toft_column_addresses, toft_folded(rotated - f->last_address));
    f->last_address = rotated;
    return (struct toft_maker){0, toft_class_unknown};
}

static void put_freed(struct events *e, struct filling *f, struct toft_site_guess *site,
                      uint64_t address) {
    const struct toft_maker maker = put_gone(e, f, site, address);
    toft_guess_freed(&e->guesses, site, maker, address);
    touch(e, f, address, maker);
}

/* An object that wasn't where it was guessed. */
static void put_far(struct events *e, struct filling *f, uint64_t address, uint32_t ago) {
    if (ago != 0) {
        put(e, f, toft_column_addresses, toft_address_touched + ago);
        return;
    }
    put(e, f, toft_column_addresses, toft_address_written);
    put(e, f, toft_column_addresses,
        toft_folded(toft_rotated(address) - toft_rotated(e->guesses.behind_far)));
}

static void put_made(struct events *e, struct filling *f, struct toft_site_guess *site,
                     uint64_t address, uint64_t bytes) {
    struct toft_guesses *g = &e->guesses;
    struct toft_freed *freed = &g->freed[toft_class_of(g, bytes)];
    const int newer = toft_find_freed(freed, address);
    if (newer >= 0) {
        toft_take_freed(freed, (uint32_t)newer);
        put(e, f, toft_column_addresses, newer ? toft_address_freed + (uint32_t)newer : 0);
    } else if (address == g->behind_last) {
        put(e, f, toft_column_addresses, toft_address_behind);
    } else {
        put_far(e, f, address, touched_ago(e, f, address));
        g->behind_far = address + toft_guessed_room(bytes);
    }
    touch(e, f, address, toft_guess_made(g, site, address, bytes));
}

/* --- events --- */

static void put_call(struct events *e, struct filling *f, const struct event *event) {
    struct toft_site_guess *guess = toft_guess_of(&e->guesses, event->stack);
    const uint32_t kind = (event->kind + toft_event_kinds - guess->kind) % toft_event_kinds;
    e->columns[toft_column_kinds][f->used[toft_column_kinds]++] = (unsigned char)kind;
    guess->kind = event->kind;
    if (event->kind == toft_event_free) {
        put_freed(e, f, guess, event->address);
        return;
    }
    if (event->kind == toft_event_resize) put_freed(e, f, guess, event->old_address);
    put_made(e, f, guess, event->address, event->bytes);
    put(e, f, toft_column_sizes, event->bytes == guess->bytes ? 0 : event->bytes + 1);
    guess->bytes = event->bytes;
    if (event->kind == toft_event_aligned) put(e, f, toft_column_sizes, event->alignment_log2);
}

void add_event(struct events *e, const struct event *event) {
    const struct filling *before = current_of(e);
    struct filling *f = &e->fillings[before == e->fillings];
    *f = *before;
    const uint64_t time = event->ticks >> e->time_shift;
    if (f->used[toft_column_kinds] == 0) f->first_time = f->last_time = time;
    const uint64_t passed = time > f->last_time ? time - f->last_time : 0;
    f->last_time += passed;
    put(e, f, toft_column_times, passed);
    put(e, f, toft_column_stacks, toft_folded((uint64_t)event->stack - f->last_stack));
    f->last_stack = event->stack;
    put_call(e, f, event);
    ++f->counts[event->kind];
    f->requested_bytes += event->bytes;
    atomic_store_explicit(&e->current, f, memory_order_release);
}

uint32_t count_events(const struct events *e) { return current_of(e)->used[toft_column_kinds]; }

uint32_t write_events(const struct events *e, uint32_t thread) {
    const struct filling *f = atomic_load_explicit(&e->current, memory_order_acquire);
    const uint32_t count = f->used[toft_column_kinds];
    if (count == 0) return 0;
    write_new_nodes();
    take_compressed();
    struct toft_events_payload payload = {.thread = thread,
                                          .time_shift = e->time_shift,
                                          .capacity = e->capacity,
                                          .first_time = f->first_time,
                                          .last_time = f->last_time,
                                          .requested_bytes = f->requested_bytes};
    memcpy(payload.counts, f->counts, sizeof f->counts);
    struct part parts[1 + toft_column_count] = {{&payload, sizeof payload}};
    for (unsigned i = 0; i < toft_column_count; ++i) {
        parts[1 + i] = compressed(e->columns[i], f->used[i]);
        payload.plain_bytes[i] = f->used[i];
        payload.compressed_bytes[i] = (uint32_t)parts[1 + i].bytes;
    }
    write_block(toft_block_events, count, parts, 1 + toft_column_count);
    return count;
}
