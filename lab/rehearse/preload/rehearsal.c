/* SPDX-License-Identifier: MIT */
/* The advised objects in a real arena, of a program that knows nothing of it. malloc's names are in
 * verify/preload/heap_names.c, and call what stands here. The program's first thread has the arena;
 * it is reset when nothing lives in it. */
#include "known_stacks.h"
#include "teardown.h"

#include "record/preload/fresh_memory.h"
#include "record/preload/lock.h"
#include "record/preload/real_heap.h"
#include "record/preload/unloading.h"
#include "record/preload/unwind_table.h"
#include "verify/preload/nodes.h"
#include "verify/preload/plan_file.h"
#include "verify/preload/verifier.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <toft/arena.h>
#include <toft/current.h>

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

/* Others that call the heap from there may be known as none of the hook's. */
static bool has_new_hook_function;

static void note_hook_function(uintptr_t begin) {
    if (rehearsed->hook != toft_hook_functions || is_hook_function(begin) ||
        hook_function_count == functions_most)
        return;
    hook_functions[hook_function_count++] = begin;
    has_new_hook_function = true;
}

static bool is_by_hook(uintptr_t call) {
    uint32_t module;
    uint64_t in_file;
    if (rehearsed->hook == toft_hook_functions) return is_hook_function(function_of(call));
    return rehearsed->hook == toft_hook_module && find_planned_module(call, &module, &in_file) &&
           module == rehearsed->hook_module;
}

/* C++'s operators that make an object by malloc, of the library that the program has begun with. */
static uintptr_t operators[2];

static void find_operators(void) {
    static const char *const names[] = {"_Znwm", "_ZnwmRKSt9nothrow_t"};
    for (size_t i = 0; i != sizeof operators / sizeof *operators; ++i)
        operators[i] = (uintptr_t)dlsym(RTLD_DEFAULT, names[i]);
}

static bool is_in_operator(uintptr_t call) {
    const uintptr_t begin = function_of(call);
    return begin == operators[0] || begin == operators[1];
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
unsigned watch_exits(uintptr_t function) {
    (void)function;
    return 0;
}

/* --- the arena's memory: one first buffer, which tells its objects by their addresses --- */

enum { huge_page_bytes = 2 << 20 };
static uintptr_t buffer;
static size_t buffer_bytes;

bool is_placed(const void *p) { return (uintptr_t)p - buffer < buffer_bytes; }

/* What an arena's chunks have in huge pages begins where they are as large as one. */
static bool prepare_arena(void) {
    buffer_bytes = rehearsed->most_bytes;
    char *memory = fresh_memory(buffer_bytes + huge_page_bytes);
    if (!memory) return false;
    memory += -(uintptr_t)memory % huge_page_bytes;
    if (buffer_bytes > huge_page_bytes)
        madvise(memory + huge_page_bytes, buffer_bytes - huge_page_bytes, MADV_HUGEPAGE);
    const toft_arena_options options = {
        .first_buffer = memory, .first_buffer_bytes = buffer_bytes, .limit_bytes = buffer_bytes};
    toft_arena_init(&arena, &options);
    buffer = (uintptr_t)memory;
    return true;
}

/* --- objects --- */

/* What isn't made by <toft/current.h> lies in the arena as it is: who calls an arena knows its
 * objects' sizes. Where the program asks the heap for them, each has its size in front, which fills
 * the 8 bytes up to a multiple of 16. What C++'s operators make comes from an allocator that finds
 * its arena at run time. */
enum { size_bytes = sizeof(size_t), heap_alignment = 16 };

static bool with_sizes;
static char *newest; /* of the objects without a size, if it is the arena's last */

static bool has_operators_objects;
static toft_strategy of_arena;

static inline size_t *size_of(void *object) { return (size_t *)object - 1; }

static inline size_t room_for(size_t bytes) {
    return (size_bytes + bytes + heap_alignment - 1) & ~(size_t)(heap_alignment - 1);
}

/* The next free byte is where an object may begin, and its size may not. */
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

static void *place_aligned_with_size(size_t bytes, size_t alignment) {
    char *p = toft_arena_alloc(&arena, alignment + bytes + (bytes == 0), alignment);
    return p ? with_size(p + alignment - size_bytes, bytes) : NULL;
}

static inline void *place_bare(size_t bytes, size_t alignment) {
    return newest = toft_arena_alloc(&arena, bytes + (bytes == 0), alignment);
}

/* As with toft_current_alloc: compilers take malloc's objects to be aligned so. */
static inline size_t alignment_for(size_t bytes) {
    return bytes <= heap_alignment / 2 ? heap_alignment / 2 : heap_alignment;
}

static inline void *new_object(size_t bytes, size_t alignment, unsigned kind) {
    if (by_current)
        return alignment > heap_alignment ? toft_current_alloc_aligned(bytes, alignment)
                                          : toft_current_alloc(bytes);
    if (bytes > PTRDIFF_MAX) return NULL;
    if (alignment > heap_alignment)
        return with_sizes ? place_aligned_with_size(bytes, alignment)
                          : place_bare(bytes, alignment);
    if (kind & call_is_of_operator) return toft_strategy_alloc(of_arena, bytes, heap_alignment);
    return with_sizes ? place_with_size(bytes) : place_bare(bytes, alignment_for(bytes));
}

static inline void *place(size_t bytes, size_t alignment, unsigned kind) {
    void *p = new_object(bytes, alignment, kind);
    if (!p) {
        ++plan->not_placed;
        return NULL;
    }
    forget_teardown();
    has_operators_objects |= (kind & call_is_of_operator) != 0;
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
    if (__builtin_expect(has_new_hook_function, false)) {
        has_new_hook_function = false;
        forget_known_stacks();
    }
    const bool is_wanted = (kind & call_is_advised) || (live != 0 && (kind & call_is_by_hook));
    if (!is_wanted || rehearsed->way == toft_rehearse_looking) return NULL;
    return place(bytes, alignment, kind);
}

void *place_zeroed(size_t bytes, struct call_site call) {
    void *p = place_advised(bytes, 0, call);
    return p ? memset(p, 0, bytes) : NULL;
}

static void end_life(void) {
    newest = NULL;
    toft_arena_reset(&arena);
    end_teardown();
}

void free_placed(void *p, struct call_site call) {
    (void)call;
    note_free();
    if (by_current)
        toft_current_free(p);
    else if (has_operators_objects)
        toft_strategy_free(of_arena, p, 1, 1); /* the least that it may be, if it is the last */
    else if (p == newest)
        toft_arena_free_last(&arena, p, (size_t)(arena.cur - newest));
    if (--live == 0) end_life();
}

void see_call(struct call_site call) {
    (void)call;
    note_other_free();
}

/* NULL: the arena is full, and the heap takes the object. */
static void *resized_bare(void *p, size_t bytes) {
    if (bytes > PTRDIFF_MAX) return NULL;
    if (p == newest)
        return newest = toft_arena_resize(&arena, p, (size_t)(arena.cur - newest), bytes,
                                          alignment_for(bytes));
    char *to = place_bare(bytes, alignment_for(bytes));
    if (!to) return NULL;
    const size_t between = (size_t)(to - (char *)p); /* which is more than it had */
    return memcpy(to, p, bytes < between ? bytes : between);
}

static void *resized_with_size(void *p, size_t former, size_t bytes) {
    if (bytes <= former) return p;
    if (bytes > PTRDIFF_MAX) return NULL;
    char *const begin = (char *)size_of(p);
    const bool is_last = begin + room_for(former) == arena.cur;
    if (is_last && room_for(bytes) <= (size_t)(arena.end - begin))
        return toft_arena_resize(&arena, begin, room_for(former), room_for(bytes), size_bytes)
                   ? p
                   : NULL;
    void *to = place_with_size(bytes);
    return to ? memcpy(to, p, former) : NULL;
}

static void *move_to_heap(void *p, size_t former, size_t bytes, struct call_site call) {
    void *to = real_heap()->malloc(bytes);
    if (!to) return NULL;
    ++plan->not_placed;
    memcpy(to, p, former < bytes ? former : bytes);
    free_placed(p, call);
    return to;
}

static void *resize_by_current(void *p, size_t bytes) {
    void *to = toft_current_resize(p, bytes);
    if (to) return to;
    ++plan->not_placed;
    errno = ENOMEM;
    return NULL;
}

void *resize_placed(void *p, size_t bytes, struct call_site call) {
    if (bytes == 0) {
        free_placed(p, call);
        return NULL;
    }
    forget_teardown();
    if (by_current) return resize_by_current(p, bytes);
    if (!with_sizes) {
        void *to = resized_bare(p, bytes);
        return to ? to : move_to_heap(p, (size_t)(arena.cur - (char *)p), bytes, call);
    }
    const size_t former = *size_of(p);
    void *to = resized_with_size(p, former, bytes);
    if (!to) return move_to_heap(p, former, bytes, call);
    *size_of(to) = bytes;
    return to;
}

/* Where objects have no size, nobody is expected to ask. */
size_t placed_bytes(const void *p) {
    if (!by_current && !has_operators_objects && with_sizes) return ((const size_t *)p)[-1];
    ++rehearsed->sizes_asked;
    return 0;
}

/* --- the process --- */

void forget_addresses(void) {
    if (!has_arena) return;
    struct held_lock held;
    lock_recorder(&held);
    forget_nodes();
    forget_unwind_rules();
    forget_known_stacks();
    unlock_recorder(&held);
}

static void do_nothing(void *unused) { __asm__ volatile("" ::"r"(unused)); }

static void free_one(void *p) {
    if (is_placed(p)) free_placed(p, THIS_CALL());
}

static volatile size_t usual_bytes = 32; /* so that no path is chosen when this is compiled */

static void place_one(void *unused) {
    (void)unused;
    free_one(place(usual_bytes, 0, call_is_advised));
}

static void make_in_arena(void *unused) {
    (void)unused;
    const size_t bytes = usual_bytes;
    char *p = toft_arena_alloc(&arena, bytes, heap_alignment);
    if (p) toft_arena_free_last(&arena, p, bytes);
}

static void make_in_current(void *unused) {
    (void)unused;
    toft_current_free(toft_current_alloc(usual_bytes));
}

/* With an object that stays until it was freed often enough. */
static void measure_objects(void) {
    void *object = place(1, 0, call_is_advised);
    if (!object) return;
    const uint64_t placed = plan->placed - 1, not_placed = plan->not_placed;
    const struct compared_calls calls = {free_one, place_one,
                                         by_current ? toft_current_free : do_nothing,
                                         by_current ? make_in_current : make_in_arena};
    live = UINT32_MAX;
    measure_costs(&calls, object);
    live = 0;
    newest = NULL;
    toft_arena_reset(&arena);
    plan->placed = placed;
    plan->not_placed = not_placed;
    --plan->lives;
}

static __attribute__((constructor)) void at_load(void) {
    if (!open_plan()) return;
    rehearsed = &plan->rehearsed;
    start_teardown_clock(rehearsed);
    find_operators();
    if (!prepare_nodes() || !prepare_known_stacks() || !prepare_arena()) {
        ++plan->not_placed;
        return;
    }
    by_current = rehearsed->by_current;
    with_sizes = rehearsed->with_sizes;
    of_arena = toft_strategy_of_arena(&arena);
    if (by_current) use = toft_current_push(of_arena);
    if (rehearsed->way == toft_rehearse_placing) measure_objects();
    has_arena = true;
}
