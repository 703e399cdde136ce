/* SPDX-License-Identifier: MIT */
/* Walking is fast since most of a stack is what it was at the last event. That is no guess: what
 * follows from a frame is a function of its address, sp and bp and of the words that its rule
 * reads. Where all these are what they were, so is the rest. */
#include "stack.h"

#include "lock.h"
#include "stack_tree.h"
#include "unwind_table.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- the memory of stacks --- */

/* A line of /proc/self/maps, "7f12-7f34 rw-p ...", is searched for the one around sp. */
static bool parse_mapping(const char *line, uintptr_t sp, struct call_stack *s) {
    char *end;
    const uintptr_t low = strtoul(line, &end, 16);
    if (*end != '-') return false;
    const uintptr_t high = strtoul(end + 1, &end, 16);
    if (sp < low || sp >= high) return false;
    s->low = low;
    s->high = high;
    return true;
}

/* Without stdio, which allocates. The scratch memory is that of the fresh frames. */
static void find_mapping(struct call_stack *s, uintptr_t sp) {
    enum { room = 1 << 14 };
    char *text = (char *)s->fresh;
    s->low = s->high = 0;
    const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    size_t used = 0;
    for (ssize_t n; s->high == 0 && (n = read(file, text + used, room - used - 1)) > 0;) {
        used += (size_t)n;
        text[used] = '\0';
        char *line = text;
        for (char *end; (end = strchr(line, '\n')); line = end + 1)
            if (parse_mapping(line, sp, s)) break;
        used = strlen(line);
        if (used >= room - 1) used = 0; /* no line is as long as that */
        memmove(text, line, used);
    }
    close(file);
}

/* The one that the process began with. A child that another thread has forked has none. */
static uintptr_t first_thread;

static __attribute__((constructor(101))) void know_first_thread(void) {
    first_thread = (uintptr_t)pthread_self();
}

/* A program that has changed its root, or may open no file, can't ask. The first thread's stack
 * lies below the kernel's words, and the kernel leaves twice as much free there for it to grow. */
static void guess_mapping(struct call_stack *s, uintptr_t sp) {
    const uintptr_t kernels = getauxval(AT_RANDOM), grows = 64 << 20;
    if (sp >= kernels || kernels - sp >= grows) return;
    s->low = kernels - grows;
    s->high = kernels + 2 * sizeof kernels; /* which are so long */
}

/* A thread's own stack is there as long as the thread. glibc's record of the thread lies at its
 * end, where another stack may begin in the same mapping; the first thread's has the kernel's
 * words. */
static void know_own_stack(struct call_stack *s, uintptr_t sp) {
    const uintptr_t thread = (uintptr_t)pthread_self(), kernels = getauxval(AT_RANDOM);
    if (first_thread == 0) know_first_thread(); /* another library is loaded before this one */
    const bool is_first = thread == first_thread;
    s->is_own = is_first ? kernels >= sp && kernels < s->high : thread > sp && thread < s->high;
    if (is_first) return;
    if (s->is_own)
        s->high = thread;
    else if (thread > s->low && thread <= sp)
        s->low = thread;
}

/* The system's own stack grows downward: as far as no more than this, it is the same one. */
static __attribute__((noinline, cold)) void find_stack_slow(struct call_stack *s, uintptr_t sp) {
    enum { grows = 4 << 20 };
    const bool below = s->high != 0 && sp < s->low && s->low - sp < grows;
    const uintptr_t former_high = s->high;
    int cancelable;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancelable);
    find_mapping(s, sp);
    if (s->high == 0) guess_mapping(s, sp);
    know_own_stack(s, sp);
    pthread_setcancelstate(cancelable, NULL);
    if (below && s->high == former_high && sp - s->low < grows) s->low = sp - grows / 4;
}

/* --- rules, cached for all threads --- */

enum { cached_rules = 1 << 14 };

/* Two words that are written one after the other: the first is the address combined with the
 * second, so that a half-written pair is no address's. */
struct cached_rule {
    _Atomic uint64_t check;
    _Atomic uint64_t rule;
};

static struct cached_rule rules[cached_rules];

void forget_unwind_rules(void) {
    for (size_t i = 0; i < cached_rules; ++i) {
        atomic_store_explicit(&rules[i].check, 0, memory_order_relaxed);
        atomic_store_explicit(&rules[i].rule, 0, memory_order_relaxed);
    }
}

static struct unwind_rule rule_of(uintptr_t address) {
    struct cached_rule *cached = &rules[(address * 0x9e3779b97f4a7c15u) >> 32 & (cached_rules - 1)];
    uint64_t word = atomic_load_explicit(&cached->rule, memory_order_relaxed);
    struct unwind_rule rule;
    _Static_assert(sizeof rule == sizeof word, "a rule is one word");
    if ((atomic_load_explicit(&cached->check, memory_order_relaxed) ^ word) == address) {
        memcpy(&rule, &word, sizeof rule);
        return rule;
    }
    rule = find_unwind_rule(address - 1);
    memcpy(&word, &rule, sizeof word);
    atomic_store_explicit(&cached->check, address ^ word, memory_order_relaxed);
    atomic_store_explicit(&cached->rule, word, memory_order_relaxed);
    return rule;
}

/* --- one step outward --- */

static bool readable(const struct call_stack *s, uintptr_t inner, uintptr_t address) {
    return address >= inner - sizeof address && address <= s->high - sizeof address &&
           address % sizeof address == 0;
}

static uintptr_t word_at(uintptr_t address) { return *(const uintptr_t *)address; }

enum step { step_done, step_outermost, step_cut, step_signal };

static enum step step_outward(const struct call_stack *s, const struct frame *f,
                              struct frame *outer) {
    const struct unwind_rule rule = rule_of(f->address);
    if (rule.kind == frame_outermost) return step_outermost;
    if (rule.kind == frame_of_signal) return step_signal;
    if (rule.kind == frame_unknown) return step_cut;
    uintptr_t sp = (rule.kind == frame_from_sp ? f->sp : f->bp) + (uintptr_t)(intptr_t)rule.offset;
    if (rule.kind == frame_chained) {
        if (f->bp == 0) return step_outermost; /* so the ABI marks it, as in the loader's first */
        /* Without a rule, bp may lead onto another stack of the same memory, which may be gone now
         * or at a later event. With rules only, each frame is one that the program returns to. */
        if (!s->is_own) return step_cut;
        sp = f->bp + 2 * sizeof sp;
    }
    if (rule.kind == frame_through_bp) {
        if (!readable(s, f->sp, sp)) return step_cut;
        sp = word_at(sp);
    }
    if (sp <= f->sp || !readable(s, f->sp, sp - sizeof sp)) return step_cut;
    outer->sp = sp;
    outer->address = word_at(sp - sizeof sp);
    uintptr_t saved = 0;
    if (rule.kind == frame_chained)
        saved = f->bp;
    else if (rule.saved_bp != bp_kept)
        saved = (rule.saved_bp == bp_at_frame ? sp : f->bp) + (uintptr_t)(intptr_t)rule.bp_offset;
    if (saved && !readable(s, f->sp, saved)) return step_cut;
    outer->saved_bp = (const uintptr_t *)(saved ? saved : sp - sizeof sp);
    outer->saved_bp_value = *outer->saved_bp;
    outer->bp = saved ? outer->saved_bp_value : f->bp;
    struct dl_find_object object;
    if (rule.kind == frame_chained && _dl_find_object((void *)outer->address, &object) != 0)
        return step_cut;
    return outer->address == 0 ? step_outermost : step_done;
}

/* --- the whole stack --- */

/* When the last stack's frame `equal` is what it was: the innermost frame outside of it that isn't
 * any longer; NULL: all are. */
static const struct frame *find_change(const struct call_stack *s, const struct frame *equal) {
    for (const struct frame *f = equal; f-- > s->frames;)
        if (word_at(f->sp - sizeof f->sp) != f->address || *f->saved_bp != f->saved_bp_value)
            return f;
    return NULL;
}

/* Finds the nodes of the frames from s->count on, until that is `count`. What is called from a new
 * node is new: one turn with the lock is enough for all of them. */
static void find_nodes(struct call_stack *s, size_t count) {
    uint32_t parent = s->count ? s->frames[s->count - 1].node : 0;
    bool is_new = false;
    struct held_lock held;
    for (; s->count < count; ++s->count) {
        struct frame *f = &s->frames[s->count];
        const struct tree_place place = {parent, f->hash, f->address};
        f->node = is_new ? 0 : find_node(place);
        if (f->node == 0) {
            if (!is_new) lock_recorder(&held);
            is_new = true;
            f->node = add_node(place);
        }
        parent = f->node;
    }
    if (is_new) unlock_recorder(&held);
    s->is_new = is_new;
}

/* Puts the fresh frames on those that stay. A frame over the same nodes as last time that has the
 * same address is the same node. All others are in the memory of the tree, far apart: that is
 * fetched for all at once, which takes hardly longer than for one. */
static uint32_t take_fresh(struct call_stack *s, size_t kept, size_t fresh) {
    const size_t count = kept + fresh, former_count = s->count;
    uint32_t hash = kept ? s->frames[kept - 1].hash : 0;
    s->count = kept;
    for (size_t i = kept; i < count; ++i) {
        struct frame *f = &s->fresh[count - 1 - i], *former = &s->frames[i];
        if (i == s->count && i < former_count && former->address == f->address) {
            f->node = former->node;
            f->hash = former->hash;
            ++s->count;
        } else {
            f->hash = hash_of_call(hash, f->address);
            prefetch_node(f->hash);
        }
        hash = f->hash;
        *former = *f;
    }
    find_nodes(s, count);
    return s->frames[count - 1].node;
}

/* So many frames of a deeper stack are kept, so that it can grow as much again before it is walked
 * anew: otherwise each event in a deep recursion would cost the whole walk. */
enum { frames_of_deeper = frames_most / 2 };

static uint32_t cut_short(struct call_stack *s, size_t fresh) {
    ++s->cut;
    return take_fresh(s, 0, fresh);
}

static bool prepare(struct call_stack *s, struct frame innermost) {
    s->in_signal_handler = s->is_new = false;
    if (innermost.sp - s->low >= s->high - s->low) {
        s->count = 0;
        find_stack_slow(s, innermost.sp);
    }
    *s->fresh = innermost;
    s->fresh->saved_bp = (const uintptr_t *)(innermost.sp - sizeof innermost.sp);
    s->fresh->saved_bp_value = innermost.address;
    return s->high != 0;
}

uint32_t walk(struct call_stack *s, struct frame innermost) {
    if (!prepare(s, innermost)) return cut_short(s, 1);
    struct frame *f = s->fresh;
    const struct frame *changed = NULL; /* it, and all that lie further in, needn't be looked at */
    size_t inner = s->count;            /* frames from this one on lie further in than *f */
    for (;;) {
        while (inner > 0 && s->frames[inner - 1].sp < f->sp) --inner;
        const struct frame *last = &s->frames[inner - 1];
        const size_t fresh = (size_t)(f - s->fresh);
        if (inner > 0 && (!changed || last < changed) && last->sp == f->sp &&
            last->address == f->address && last->bp == f->bp) {
            changed = find_change(s, last);
            if (!changed) return take_fresh(s, inner, fresh);
        }
        if (inner + fresh + 2 > frames_most) {
            if (fresh >= frames_of_deeper) return cut_short(s, frames_of_deeper);
            inner = 0; /* there is no room for these, whether they are as they were or not */
        }
        const enum step step = step_outward(s, f, f + 1);
        if (step == step_done) {
            ++f;
            continue;
        }
        s->cut += step == step_cut;
        if (step == step_signal) {
            s->in_signal_handler = true;
            return 0;
        }
        return take_fresh(s, 0, fresh + 1);
    }
}
