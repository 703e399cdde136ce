/* SPDX-License-Identifier: MIT */
#include "verifier.h"

#include "exits.h"
#include "finding.h"
#include "nodes.h"
#include "plan_file.h"
#include "record/preload/fresh_memory.h"
#include "record/preload/lock.h"
#include "record/preload/real_heap.h"
#include "record/preload/unloading.h"
#include "record/preload/unwind_table.h"
#include "regions.h"
#include "signals.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct verified_thread {
    struct verified_thread *next_unused;
    struct call_stack stack;
    uint32_t open; /* its innermost open region; 0: there is none */
    unsigned seen_change;
};

/* The thread's own, and where its stack was when it came into the verifier; 0: it isn't there. */
static __thread struct verified_thread *self __attribute__((tls_model("initial-exec")));
static __thread uintptr_t inside __attribute__((tls_model("initial-exec")));

static struct verified_thread *unused;
static pthread_key_t at_thread_end;
static atomic_uint changes; /* of what addresses mean */

/* --- threads --- */

static struct verified_thread *new_thread(void) {
    const size_t frames = 2 * (size_t)frames_most * sizeof(struct frame);
    struct verified_thread *t = fresh_memory(sizeof *t + frames);
    if (!t) return NULL;
    t->stack.frames = (struct frame *)(void *)(t + 1);
    t->stack.fresh = t->stack.frames + frames_most;
    return t;
}

static struct verified_thread *attach(void) {
    struct held_lock held;
    lock_recorder(&held);
    struct verified_thread *t = unused;
    if (t)
        unused = t->next_unused;
    else
        t = new_thread();
    unlock_recorder(&held);
    if (!t) return NULL;
    t->stack.count = t->stack.low = t->stack.high = 0;
    t->open = 0;
    pthread_setspecific(at_thread_end, t);
    return t;
}

static void end_innermost(struct verified_thread *t, uint32_t node, bool is_late) {
    const uint32_t ended = t->open;
    t->open = region_of_number(ended)->outer;
    end_region(ended, node, is_late);
}

static void end_thread(void *thread) {
    struct verified_thread *t = thread;
    if (t != self) return;
    const uintptr_t was_inside = inside;
    inside = (uintptr_t)__builtin_frame_address(0);
    while (t->open) end_innermost(t, 0, true);
    self = NULL;
    struct held_lock held;
    lock_recorder(&held);
    t->next_unused = unused;
    unused = t;
    unlock_recorder(&held);
    inside = was_inside;
}

/* --- events: the stack now, and which regions it shows to be over --- */

/* Whether an event comes from a handler that interrupted this library. */
static bool is_nested(uintptr_t sp) { return inside && sp < inside; }

/* Fills the thread's stack. False: nothing is known of it. */
static bool look_at_stack(struct frame caller, uint32_t *node) {
    struct verified_thread *t = self ? self : (self = attach());
    if (!t) return false;
    const unsigned change = atomic_load_explicit(&changes, memory_order_acquire);
    if (t->seen_change != change) t->stack.count = 0;
    t->seen_change = change;
    *node = walk(&t->stack, caller);
    return *node != 0 && !t->stack.in_signal_handler;
}

/* The frame that is the outermost of those which end at this one or below; frames further out lie
 * higher. */
static const struct frame *frame_from(const struct call_stack *s, uintptr_t sp) {
    size_t low = 0, high = s->count; /* the first one that lies lower is in between */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->frames[middle].sp >= sp)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? &s->frames[low - 1] : NULL;
}

/* Coroutines' stacks may lie beside each other in one mapping. */
static bool is_on_stack(const struct call_stack *s, const struct region *r) {
    return s->count != 0 && s->high == r->stack_high && s->frames[0].sp == r->outermost_end;
}

/* A call goes on as long as its caller's frame is there, and waits for the same return; one that
 * was inlined, as long as the frame that it is in stays in its code. Where the stack couldn't be
 * followed as far, or another one is in use, nobody knows. */
static bool is_over(const struct verified_thread *t, const struct region *r) {
    const struct call_stack *s = &t->stack;
    if (!is_on_stack(s, r)) return false;
    const struct frame *caller = frame_from(s, r->frame_end);
    if (!caller && r->return_address != 0) return s->frames[0].sp > r->frame_end;
    if (caller && (caller->sp != r->frame_end || caller->address != r->return_address)) return true;
    const struct frame *own = caller ? caller + 1 : s->frames;
    return r->copy != 0 && own < s->frames + s->count && !is_in_copy(r->copy, own->address);
}

static void end_what_is_over(struct verified_thread *t, uint32_t node) {
    while (t->open && is_over(t, region_of_number(t->open))) end_innermost(t, node, true);
}

/* A region whose function has called the heap itself in tail position is over behind that call. */
static void end_what_was_left(struct verified_thread *t, uint32_t node) {
    const struct call_stack *s = &t->stack;
    while (t->open && region_of_number(t->open)->is_left &&
           region_of_number(t->open)->frame_end == s->frames[s->count - 1].sp)
        end_innermost(t, node, false);
}

/* At the begin of a call of the heap, or behind it. */
static void see(struct frame caller, void (*end)(struct verified_thread *, uint32_t node)) {
    if (!self || !self->open || is_nested(caller.sp)) return;
    const int error = errno;
    uint32_t node;
    inside = caller.sp;
    if (look_at_stack(caller, &node)) end(self, node);
    inside = 0;
    errno = error;
}

static void see_frame(struct frame caller) {
    see(caller, end_what_is_over);
    see(caller, end_what_was_left);
}

void see_call(struct call_site call) { see_frame(callers_frame(call)); }

/* --- objects --- */

/* The region of the innermost call of its function on this stack. */
static uint32_t region_of_call(struct verified_thread *t, uint32_t node) {
    const struct call_stack *s = &t->stack;
    const uint32_t depth = place_of_node(node)->region_depth;
    const uint32_t copy = place_of_node(node)->region_copy;
    struct region r = {.frame_end = s->high,
                       .stack_high = s->high,
                       .outermost_end = s->frames[0].sp,
                       .copy = copy,
                       .outer = t->open};
    if (depth > 1) {
        r.frame_end = s->frames[depth - 2].sp;
        r.return_address = s->frames[depth - 2].address;
    }
    const struct region *open = region_of_number(t->open);
    if (t->open && open->frame_end == r.frame_end && open->return_address == r.return_address &&
        is_on_stack(s, open) && open->copy == r.copy) {
        if (!open->is_left) return t->open;
        end_innermost(t, node, true); /* this is another call */
        r.outer = t->open;
    }
    const uint32_t begun = begin_region(r);
    if (begun) t->open = begun;
    return begun;
}

static void *place_at(struct verified_thread *t, size_t bytes, size_t alignment, uint32_t node) {
    const struct stack_place *at = place_of_node(node);
    if (at->step == no_step || at->depth != t->stack.count) return NULL;
    const uint32_t site = toft_verify_steps(plan)[at->step].site;
    if (site == 0) return NULL;
    const uint32_t region = region_of_call(t, node);
    void *object = region ? place_in_region(region, bytes, alignment, node) : NULL;
    count(object ? &plan->placed : &plan->not_placed, 1);
    if (object) count(&toft_verify_seen(plan)[site - 1], 1);
    return object;
}

void *place_advised(size_t bytes, size_t alignment, struct call_site call) {
    const struct frame caller = callers_frame(call);
    if (!plan || is_nested(caller.sp)) return NULL;
    const int error = errno;
    void *object = NULL;
    uint32_t node;
    inside = caller.sp;
    if (look_at_stack(caller, &node)) {
        end_what_is_over(self, node);
        object = place_at(self, bytes, alignment, node);
        end_what_was_left(self, node);
    }
    inside = 0;
    errno = error;
    return object;
}

/* What is placed was never used before. */
void *place_zeroed(size_t bytes, struct call_site call) { return place_advised(bytes, 0, call); }

/* --- uses --- */

/* The stack of a use, as far as it is known: its innermost frame at least. */
static uint32_t node_of_use(struct frame caller) {
    uint32_t node = 0;
    if (!is_nested(caller.sp) && look_at_stack(caller, &node)) return node;
    struct held_lock held;
    lock_recorder(&held);
    node = add_node(place_below(0, caller.address));
    unlock_recorder(&held);
    return node;
}

static bool is_of_ended_region(uintptr_t address) {
    const uint32_t region = region_at(address);
    return region && __atomic_load_n(&region_of_number(region)->ended, __ATOMIC_ACQUIRE);
}

/* A free is a call of the heap: it may be the one that shows the end. */
static void require_open(void *p, enum toft_verify_use use, struct frame caller) {
    see(caller, end_what_is_over);
    if (is_of_ended_region((uintptr_t)p))
        end_with_finding(use, NULL, (uintptr_t)p, node_of_use(caller));
}

void free_placed(void *p, struct call_site call) {
    const struct frame caller = callers_frame(call);
    require_open(p, toft_verify_free, caller);
    struct placed_object *o = object_at(p);
    if (o) free_object(o);
    see(caller, end_what_was_left);
}

/* The object stays in its region. */
void *resize_placed(void *p, size_t bytes, struct call_site call) {
    const struct frame caller = callers_frame(call);
    require_open(p, toft_verify_resize, caller);
    struct placed_object *o = object_at(p);
    if (!o) return NULL;
    void *to = NULL;
    if (bytes) {
        to = place_apart(o->region, bytes, o->node);
        if (!to && !(to = real_heap()->malloc(bytes))) return NULL;
        memcpy(to, p, bytes < o->bytes ? bytes : o->bytes);
    }
    free_object(o);
    see(caller, end_what_was_left);
    return to;
}

size_t placed_bytes(const void *p) {
    const struct placed_object *o = object_at(p);
    return o ? o->bytes : 0;
}

void see_system_call(const char *name, const void *data, size_t bytes, struct frame caller) {
    const uintptr_t first = (uintptr_t)data, last = first + (bytes ? bytes - 1 : 0);
    if (!plan || bytes == 0 || (!is_placed(data) && !is_placed((const void *)last))) return;
    see_frame(caller);
    if (is_of_ended_region(first))
        end_with_finding(toft_verify_system_call, name, first, node_of_use(caller));
    if (is_of_ended_region(last))
        end_with_finding(toft_verify_system_call, name, last, node_of_use(caller));
}

/* --- faults --- */

/* As if a call returned behind the instruction. */
static struct frame frame_of(const ucontext_t *context) {
    const greg_t *registers = context->uc_mcontext.gregs;
    return (struct frame){.address = (uintptr_t)registers[REG_RIP] + 1,
                          .sp = (uintptr_t)registers[REG_RSP],
                          .bp = (uintptr_t)registers[REG_RBP]};
}

/* At an exit all registers are the caller's again, and the stack pointer is at the return. So the
 * stack of the end is the caller's, with the exit in front. */
static uint32_t node_of_exit(const ucontext_t *context, uintptr_t frame_end) {
    const greg_t *registers = context->uc_mcontext.gregs;
    const struct frame caller = {.address = *(const uintptr_t *)registers[REG_RSP],
                                 .sp = frame_end,
                                 .bp = (uintptr_t)registers[REG_RBP]};
    const uintptr_t exit = frame_of(context).address;
    uint32_t outer;
    if (!look_at_stack(caller, &outer)) outer = 0;
    const struct tree_place place = place_below(outer, exit);
    const uint32_t known = find_node(place);
    if (known) return known;
    struct held_lock held;
    lock_recorder(&held);
    const uint32_t node = add_node(place);
    unlock_recorder(&held);
    return node;
}

/* Calls that an exception or a jump has left lie deeper, and are over too. One that calls a
 * function in tail position goes on in that one's frame. */
static void leave_call(const ucontext_t *context, uintptr_t frame_end, uintptr_t target) {
    struct verified_thread *t = self;
    if (!t || !t->open || is_nested(frame_end)) return;
    inside = frame_end;
    const uint32_t node = node_of_exit(context, frame_end);
    for (struct region *r; t->open; end_innermost(t, node, r->copy != 0)) {
        r = region_of_number(t->open);
        if (r->frame_end > frame_end) break;
        if (r->frame_end != frame_end && !is_on_stack(&t->stack, r)) break;
        if (target && r->frame_end == frame_end && r->copy == 0) {
            r->is_left = true;
            break;
        }
    }
    inside = 0;
}

static void watch_callee(uintptr_t target) {
    if (!target || function_of(target) != target) return;
    struct held_lock held;
    lock_recorder(&held);
    watch_function(target);
    unlock_recorder(&held);
}

bool take_fault(ucontext_t *context, uintptr_t address) {
    uintptr_t frame_end, target;
    if (is_at_exit(context, &frame_end, &target)) {
        leave_call(context, frame_end, target);
        watch_callee(target);
        leave_function(context);
        return true;
    }
    if (!is_of_ended_region(address)) return false;
    enum { is_write = 2 };
    const bool writes = (context->uc_mcontext.gregs[REG_ERR] & is_write) != 0;
    end_with_finding(writes ? toft_verify_write : toft_verify_read, NULL, address,
                     node_of_use(frame_of(context)));
}

/* --- the process --- */

void forget_addresses(void) {
    if (!plan) return;
    struct held_lock held;
    lock_recorder(&held);
    forget_nodes();
    forget_unwind_rules();
    unlock_recorder(&held);
    atomic_fetch_add(&changes, 1);
}

/* Another thread may have been in the middle of what the lock guards. */
void renew_verifier(void) {
    renew_recorder_lock();
    renew_nodes();
    unused = NULL;
}

void start_verifier(void) {
    if (!open_plan()) return;
    if (!prepare_nodes() || !prepare_regions() ||
        pthread_key_create(&at_thread_end, end_thread) != 0 || !expect_forks() || !catch_faults())
        plan = NULL;
}
