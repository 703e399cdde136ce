/* SPDX-License-Identifier: MIT */
#include "known_stacks.h"

#include "record/preload/fresh_memory.h"

#include <errno.h>
#include <string.h>

enum {
    places_most = 1 << 14, /* a power of two */
    probes_most = 8,
    stacks_most = 1 << 14,
    stacks_of_a_place_most = 16,
    outer_least = 2,
    outer_most = 32,
    calls_between_looks = 512, /* at most, and half of that on average */
};

/* A return address that the stack has further out, and where. */
struct outer_return {
    const uintptr_t *at;
    uintptr_t address;
};

struct known_stack {
    uint32_t next;    /* of the same place */
    uint32_t calls;   /* so far */
    uint32_t look_at; /* this call's stack is walked again */
    uint16_t kind;
    uint16_t outer_count;
    struct outer_return outer[outer_most];
};

/* Calls that have the innermost frame in common. */
struct call_place {
    uintptr_t address, sp; /* sp is 0 where the entry is empty */
    uint32_t newest;       /* of its stacks; 0: none is known */
    uint16_t outer_wanted; /* to tell them apart */
    uint16_t stack_count;
};

static struct call_place places[places_most];
static struct known_stack *stacks; /* from 1; only what is used of them is there */
static uint32_t stack_count;
static struct call_stack walked;

bool prepare_known_stacks(void) {
    walked.frames = fresh_memory(2 * (size_t)frames_most * sizeof(struct frame));
    stacks = fresh_memory(stacks_most * sizeof *stacks);
    if (!walked.frames || !stacks) return false;
    walked.fresh = walked.frames + frames_most;
    return true;
}

void forget_known_stacks(void) {
    memset(places, 0, sizeof places);
    stack_count = 0;
    walked.count = 0;
}

/* Its entry, or an empty one; NULL: all that could be its are taken. */
static inline struct call_place *place_of_call(uintptr_t address, uintptr_t sp) {
    const uint64_t hash = (address ^ sp << 20) * 0x9e3779b97f4a7c15u >> 40;
    for (size_t i = 0; i != probes_most; ++i) {
        struct call_place *p = &places[(hash + i) % places_most];
        if ((p->address == address && p->sp == sp) || p->sp == 0) return p;
    }
    return NULL;
}

static inline bool is_this_stack(const struct known_stack *s) {
    for (size_t i = 0; i != s->outer_count; ++i)
        if (*s->outer[i].at != s->outer[i].address) return false;
    return true;
}

/* By chance, since calls may come in an order that repeats. */
static uint32_t next_look(uint32_t calls) {
    static uint32_t random = 1;
    random ^= random << 13;
    random ^= random >> 17;
    random ^= random << 5;
    return calls + 1 + random % (calls < calls_between_looks ? calls : calls_between_looks);
}

/* The stack that was just walked. */
static void remember(struct call_place *p, const struct frame *caller, unsigned kind) {
    if (p->sp == 0)
        *p = (struct call_place){
            .address = caller->address, .sp = caller->sp, .outer_wanted = outer_least};
    const bool has_room = stack_count + 1 < stacks_most && p->stack_count < stacks_of_a_place_most;
    if (!has_room) return; /* each such call is walked */
    struct known_stack *s = &stacks[++stack_count];
    *s = (struct known_stack){.next = p->newest, .calls = 1, .look_at = 2, .kind = (uint16_t)kind};
    for (size_t i = walked.count - 1; i-- > 0 && s->outer_count != p->outer_wanted;) {
        const struct frame *f = &walked.frames[i];
        const uintptr_t *at = (const uintptr_t *)f->sp - 1;
        s->outer[s->outer_count++] = (struct outer_return){.at = at, .address = f->address};
    }
    p->newest = stack_count;
    ++p->stack_count;
}

/* Its stacks look alike as far as they were compared. */
static void compare_more(struct call_place *p) {
    p->outer_wanted *= 2;
    p->newest = 0;
    p->stack_count = p->outer_wanted > outer_most ? stacks_of_a_place_most : 0;
}

static __attribute__((noinline, cold)) unsigned
walk_slow(struct call_place *p, struct known_stack *known, struct call_site call) {
    const struct frame caller = callers_frame(call);
    const int error = errno;
    const unsigned kind = judge_call(&walked, caller);
    errno = error;
    if (!p || kind == call_is_unknown) return kind;
    if (known && kind == known->kind) {
        known->look_at = next_look(known->calls);
        return kind;
    }
    if (known) compare_more(p);
    remember(p, &caller, kind);
    return kind;
}

unsigned kind_of_call(struct call_site call) {
    struct call_place *p = place_of_call(*call.returns_to, (uintptr_t)(call.returns_to + 1));
    uint32_t i = p ? p->newest : 0;
    while (i != 0 && !is_this_stack(&stacks[i])) i = stacks[i].next;
    struct known_stack *known = i != 0 ? &stacks[i] : NULL;
    if (!known || ++known->calls >= known->look_at) return walk_slow(p, known, call);
    return known->kind;
}
