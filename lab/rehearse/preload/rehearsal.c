/* SPDX-License-Identifier: MIT */
/* The advised objects in a real arena, of a program that knows nothing of it. malloc's names are in
 * verify/preload/heap_names.c, and call what stands here. The program's first thread has the arena;
 * it is reset when nothing lives in it. */
#include "known_stacks.h"
#include "teardown.h"

#include "record/preload/fresh_memory.h"
#include "record/preload/lock.h"
#include "record/preload/real_heap.h"
#include "record/preload/unwind_table.h"
#include "verify/preload/nodes.h"
#include "verify/preload/plan_file.h"
#include "verify/preload/verifier.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <toft/arena.h>
#include <toft/current.h>

#define EXPORTED __attribute__((visibility("default")))

static __thread bool has_arena __attribute__((tls_model("initial-exec"))); /* this thread */
static struct toft_rehearsed *rehearsed;                                   /* of the plan */
static toft_arena arena;
static uint64_t live;        /* objects in it */
static bool by_current;      /* they come and go by the calls of <toft/current.h> */
static toft_current_use use; /* of the arena, by these calls; it never ends */

/* --- which calls are advised --- */

enum { functions_most = 16 };
static uintptr_t hook_functions[functions_most]; /* where they begin */
static size_t hook_function_count;

static bool is_hook_function(uintptr_t begin) {
    for (size_t i = 0; i != hook_function_count; ++i)
        if (hook_functions[i] == begin) return true;
    return false;
}

static void note_hook_function(uintptr_t begin) {
    if (!is_hook_function(begin) && hook_function_count != functions_most)
        hook_functions[hook_function_count++] = begin;
}

static bool is_by_hook(uintptr_t call) {
    uint32_t module;
    uint64_t in_file;
    if (rehearsed->hook == toft_hook_functions) return is_hook_function(function_of(call));
    return rehearsed->hook == toft_hook_module && find_planned_module(call, &module, &in_file) &&
           module == rehearsed->hook_module;
}

/* The libraries that bring operator new make it from malloc. */
static bool is_in_operator(uintptr_t call) {
    struct dl_find_object object;
    if (_dl_find_object((void *)call, &object) != 0 || !object.dlfo_link_map) return false;
    const char *name = object.dlfo_link_map->l_name;
    return name && (strstr(name, "/libstdc++.so") || strstr(name, "/libc++.so") ||
                    strstr(name, "/libc++abi.so"));
}

unsigned judge_call(struct call_stack *stack, struct frame caller) {
    const uint32_t node = walk(stack, caller);
    if (node == 0 || stack->in_signal_handler || !stack->is_own) return call_is_unknown;
    const struct stack_place *at = place_of_node(node);
    const uintptr_t call = caller.address - 1;
    unsigned kind = is_in_operator(call) ? call_is_of_operator : 0;
    if (at->step != no_step && at->depth == stack->count &&
        toft_verify_steps(plan)[at->step].site != 0) {
        note_hook_function(function_of(call));
        return kind | call_is_advised;
    }
    struct held_lock held;
    lock_recorder(&held);
    if (is_by_hook(call)) kind |= call_is_by_hook;
    unlock_recorder(&held);
    return kind;
}

/* Nobody asks here when a function returns. */
struct watched_exits watch_exits(uintptr_t function) {
    (void)function;
    return (struct watched_exits){0};
}

/* --- what lies in the arena: a bit for each page of the address space --- */

enum { page_shift = 12, address_bits = 47 };
static uint64_t *pages_of_arena;
static uintptr_t lowest = UINTPTR_MAX, highest; /* of all its memory */
static uintptr_t chunk_begin, chunk_end;        /* where it placed last */

static inline bool is_marked(uintptr_t address) {
    const uintptr_t page = address >> page_shift;
    return pages_of_arena[page / 64] >> page % 64 & 1;
}

bool is_placed(const void *p) {
    const uintptr_t at = (uintptr_t)p;
    return at - lowest < highest - lowest && is_marked(at);
}

static __attribute__((noinline, cold)) void mark_chunk_slow(uintptr_t object, size_t bytes) {
    const uintptr_t object_end = object + bytes, end = (uintptr_t)arena.end;
    const bool is_current = object_end <= (uintptr_t)arena.cur && (uintptr_t)arena.cur <= end &&
                            (uintptr_t)arena.cur - object_end < sizeof(max_align_t);
    chunk_begin = object >> page_shift << page_shift;
    chunk_end = is_current ? end : object_end;
    if (chunk_begin < lowest) lowest = chunk_begin;
    if (chunk_end > highest) highest = chunk_end;
    if (is_marked(chunk_begin) && is_marked(chunk_end - 1)) return;
    for (uintptr_t page = chunk_begin >> page_shift; page <= (chunk_end - 1) >> page_shift; ++page)
        pages_of_arena[page / 64] |= (uint64_t)1 << page % 64;
}

/* --- objects --- */

/* Elsewhere an object's size stands in front of it, unless nobody asks for that. Sizes fill
 * the 8 bytes up to a multiple of 16, as with most heaps. */
enum { size_bytes = sizeof(size_t), heap_alignment = 16 };

static inline size_t *size_of(void *object) { return (size_t *)object - 1; }

static inline size_t room_for(size_t bytes) {
    return (size_bytes + bytes + heap_alignment - 1) & ~(size_t)(heap_alignment - 1);
}

/* A chunk begins 8 bytes too early. */
static __attribute__((noinline, cold)) char *place_first_slow(void *object, size_t bytes) {
    (void)toft_arena_free_last(&arena, object, room_for(bytes));
    char *p = toft_arena_alloc(&arena, room_for(bytes) + size_bytes, size_bytes);
    return p && (uintptr_t)p % heap_alignment == 0 ? p + size_bytes : p;
}

static inline void *with_size(char *p, size_t bytes) {
    if (!p) return NULL;
    p += size_bytes;
    *size_of(p) = bytes;
    return p;
}

static inline void *place_with_size(size_t bytes) {
    char *p = toft_arena_alloc(&arena, room_for(bytes), size_bytes);
    if (__builtin_expect(p && (uintptr_t)p % heap_alignment == 0, false))
        p = place_first_slow(p, bytes);
    return with_size(p, bytes);
}

static void *place_aligned(size_t bytes, size_t alignment) {
    char *p = toft_arena_alloc(&arena, alignment + bytes, alignment);
    return p ? with_size(p + alignment - size_bytes, bytes) : NULL;
}

static inline void note_placed(const void *object, size_t bytes) {
    const uintptr_t at = (uintptr_t)object;
    if (at < chunk_begin || at >= chunk_end) mark_chunk_slow(at, bytes ? bytes : 1);
    forget_teardown();
}

static inline void *new_object(size_t bytes, size_t alignment, unsigned kind) {
    if (by_current)
        return alignment > heap_alignment ? toft_current_alloc_aligned(bytes, alignment)
                                          : toft_current_alloc(bytes);
    if (bytes > PTRDIFF_MAX) return NULL;
    if (alignment > heap_alignment) return place_aligned(bytes, alignment);
    return kind & call_is_of_operator ? toft_arena_alloc(&arena, bytes, heap_alignment)
                                      : place_with_size(bytes);
}

static inline void *place(size_t bytes, size_t alignment, unsigned kind) {
    void *p = new_object(bytes, alignment, kind);
    if (!p) {
        ++plan->not_placed;
        return NULL;
    }
    note_placed(p, bytes);
    if (kind & call_is_advised)
        ++plan->placed;
    else
        ++rehearsed->others;
    plan->lives += live++ == 0;
    return p;
}

void *place_advised(size_t bytes, size_t alignment, struct call_site call) {
    if (!has_arena) return NULL;
    const unsigned kind = kind_of_call(call);
    const bool is_wanted = (kind & call_is_advised) || (live != 0 && (kind & call_is_by_hook));
    if (!is_wanted || rehearsed->way == toft_rehearse_looking) return NULL;
    return place(bytes, alignment, kind);
}

void *place_zeroed(size_t bytes, struct call_site call) {
    void *p = place_advised(bytes, 0, call);
    return p ? memset(p, 0, bytes) : NULL;
}

static void end_life(void) {
    toft_arena_reset(&arena);
    end_teardown();
}

void free_placed(void *p, struct call_site call) {
    (void)call;
    note_free();
    if (by_current) toft_current_free(p);
    if (--live == 0) end_life();
}

void see_call(struct call_site call) {
    (void)call;
    note_other_free();
}

static void *moved(void *former, size_t former_bytes, size_t bytes, struct call_site call) {
    void *to = bytes > PTRDIFF_MAX ? NULL : place_with_size(bytes);
    if (to)
        note_placed(to, bytes);
    else if (!(to = real_heap()->malloc(bytes)))
        return NULL;
    memcpy(to, former, former_bytes < bytes ? former_bytes : bytes);
    if (is_placed(to)) return to;
    ++plan->not_placed;
    free_placed(former, call);
    return to;
}

void *resize_placed(void *p, size_t bytes, struct call_site call) {
    if (bytes == 0) {
        free_placed(p, call);
        return NULL;
    }
    if (by_current) {
        void *to = toft_current_resize(p, bytes);
        if (to) note_placed(to, bytes);
        plan->not_placed += !to;
        return to;
    }
    const size_t former = *size_of(p);
    const bool stays = bytes <= former || (bytes <= PTRDIFF_MAX &&
                                           toft_arena_grow_last(&arena, size_of(p),
                                                                room_for(former), room_for(bytes)));
    if (!stays) return moved(p, former, bytes, call);
    *size_of(p) = bytes;
    return p;
}

/* Who calls current.h doesn't ask. */
size_t placed_bytes(const void *p) {
    if (!by_current) return ((const size_t *)p)[-1];
    ++plan->not_placed;
    return 0;
}

/* --- the process --- */

EXPORTED int dlclose(void *library) {
    static __typeof__(&dlclose) next;
    if (!next) {
        void *const found = dlsym(RTLD_NEXT, "dlclose");
        memcpy(&next, &found, sizeof found);
    }
    const int result = next(library);
    if (!has_arena) return result;
    struct held_lock held;
    lock_recorder(&held);
    forget_nodes();
    forget_unwind_rules();
    forget_known_stacks();
    unlock_recorder(&held);
    return result;
}

static void do_nothing(void *unused) { __asm__ volatile("" ::"r"(unused)); }

/* With an object that stays until it was freed often enough. */
static void measure_frees(void) {
    void *object = place(1, 0, call_is_advised);
    if (!object) return;
    live = UINT32_MAX;
    measure_costs(free, by_current ? toft_current_free : do_nothing, object);
    live = 0;
    toft_arena_reset(&arena);
    --plan->placed;
    --plan->lives;
}

static __attribute__((constructor)) void at_load(void) {
    if (!open_plan()) return;
    rehearsed = &plan->rehearsed;
    start_teardown_clock(rehearsed);
    pages_of_arena = fresh_memory(((size_t)1 << (address_bits - page_shift)) / 8);
    const toft_arena_options options = {.limit_bytes = rehearsed->most_bytes};
    toft_arena_init(&arena, &options);
    by_current = rehearsed->by_current;
    if (by_current) use = toft_current_push(toft_strategy_of_arena(&arena));
    has_arena = pages_of_arena && prepare_nodes() && prepare_known_stacks();
    if (has_arena && rehearsed->way == toft_rehearse_placing) measure_frees();
}
