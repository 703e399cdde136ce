/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_GUESSES_H
#define TOFT_LAB_RECORD_GUESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* What the next event of a block may be like. The recorder and the reader guess alike, from the
 * events before it in the block, so that the file needs to say only where a guess is wrong: zeroes,
 * mostly, which compress to nothing.
 *
 * - A stack does what it did last: the same kind of call, with the same size. A free takes the
 *   newest object of the stack whose object it took before.
 * - A malloc gives an object the memory of one of its size that was freed last, or what lies behind
 *   the object before it. */

enum {
    toft_freed_most = 64, /* of a class; the oldest is forgotten */
    toft_classes_most = 64,
    toft_class_unknown = 255, /* of an object that was made in an earlier block */
    toft_block_events_least = 1 << 7,
    toft_block_events_most = 1 << 17,
};

struct toft_site_guess {
    uint64_t bytes;
    uint64_t newest; /* where the last object was put that it made; 0: it has made none */
    uint32_t kind;
    uint16_t frees_of; /* the site whose object it freed last */
    uint8_t newest_class;
    uint8_t reserved;
};

/* Who made an object; of one that was made in an earlier block, the class is unknown. */
struct toft_maker {
    uint16_t site;
    uint8_t size_class;
};

/* A ring: the newest lies before `end`. */
struct toft_freed {
    uint64_t addresses[toft_freed_most];
    uint32_t end, count;
};

struct toft_guesses {
    uint32_t site_count, class_count; /* powers of two */
    struct toft_site_guess *sites;
    struct toft_freed *freed; /* by class of size */
    uint64_t behind_last;     /* where the last object's memory ends */
    uint64_t behind_far;      /* and that of the last one that wasn't where it was guessed */
};

/* Both sides take their sizes from the capacity of a block, a power of two. */
static inline uint32_t toft_sites_guessed(uint32_t capacity) { return capacity / 16; }

static inline uint32_t toft_classes_guessed(uint32_t capacity) {
    const uint32_t classes = capacity / 128;
    return classes < toft_classes_most ? classes : (uint32_t)toft_classes_most;
}

static inline size_t toft_guesses_bytes(uint32_t capacity) {
    return toft_sites_guessed(capacity) * sizeof(struct toft_site_guess) +
           toft_classes_guessed(capacity) * sizeof(struct toft_freed);
}

/* A new block begins. `memory` has as many bytes as the function above says. */
static inline void toft_begin_guesses(struct toft_guesses *g, uint32_t capacity, void *memory) {
    g->site_count = toft_sites_guessed(capacity);
    g->class_count = toft_classes_guessed(capacity);
    g->sites = (struct toft_site_guess *)memory;
    g->freed = (struct toft_freed *)(void *)(g->sites + g->site_count);
    g->behind_last = g->behind_far = 0;
    memset(g->sites, 0, g->site_count * sizeof *g->sites);
    for (uint32_t i = 0; i < g->class_count; ++i) g->freed[i].end = g->freed[i].count = 0;
}

static inline struct toft_site_guess *toft_guess_of(struct toft_guesses *g, uint64_t stack) {
    return &g->sites[stack & (g->site_count - 1)];
}

/* The object that a free by this site takes. */
static inline uint64_t toft_guessed_free(const struct toft_guesses *g,
                                         const struct toft_site_guess *site) {
    return g->sites[site->frees_of].newest;
}

static inline struct toft_maker toft_maker_guessed(const struct toft_guesses *g,
                                                   const struct toft_site_guess *site) {
    const struct toft_maker maker = {site->frees_of, g->sites[site->frees_of].newest_class};
    return maker;
}

/* What glibc takes for an object: a word more, in multiples of 16. */
static inline uint64_t toft_guessed_room(uint64_t bytes) {
    const uint64_t room = (bytes + 8 + 15) & ~UINT64_C(15);
    return room < 32 ? 32 : room;
}

static inline unsigned char toft_class_of(const struct toft_guesses *g, uint64_t bytes) {
    return (unsigned char)(toft_guessed_room(bytes) >> 4 & (g->class_count - 1));
}

static inline void toft_guess_freed(struct toft_guesses *g, struct toft_site_guess *site,
                                    struct toft_maker maker, uint64_t address) {
    if (maker.size_class == toft_class_unknown) return;
    site->frees_of = maker.site;
    struct toft_freed *f = &g->freed[maker.size_class];
    f->addresses[f->end++ % toft_freed_most] = address;
    if (f->count < toft_freed_most) ++f->count;
}

/* How many of its class were freed after it; -1: it isn't there. */
static inline int toft_find_freed(const struct toft_freed *f, uint64_t address) {
    for (uint32_t i = 0; i < f->count; ++i)
        if (f->addresses[(f->end - 1 - i) % toft_freed_most] == address) return (int)i;
    return -1;
}

/* Takes out the one that `newer` others were freed after. */
static inline uint64_t toft_take_freed(struct toft_freed *f, uint32_t newer) {
    const uint32_t at = f->end - 1 - newer;
    const uint64_t address = f->addresses[at % toft_freed_most];
    for (uint32_t i = at; i != f->end - 1; ++i)
        f->addresses[i % toft_freed_most] = f->addresses[(i + 1) % toft_freed_most];
    --f->end;
    --f->count;
    return address;
}

static inline struct toft_maker toft_guess_made(struct toft_guesses *g,
                                                struct toft_site_guess *site, uint64_t address,
                                                uint64_t bytes) {
    g->behind_last = address + toft_guessed_room(bytes);
    site->newest = address;
    site->newest_class = toft_class_of(g, bytes);
    const struct toft_maker maker = {(uint16_t)(site - g->sites), site->newest_class};
    return maker;
}

/* How the address of what goes is written: */
enum {
    toft_gone_guessed = 0,
    toft_gone_written = 1, /* its difference to the last one that was written so follows */
    toft_gone_touched = 1, /* + how many touches ago it was touched, 1 at least */
};

/* And that of an object that comes: which of the freed ones it is, from the newest on, or ... */
enum {
    toft_address_newest = 0,
    toft_address_behind = 1,   /* that lies behind the last object */
    toft_address_freed = 1,    /* + how many were freed after it, 1 at least */
    toft_address_written = 65, /* its difference to what lies behind the last such one follows */
    toft_address_touched = 65, /* + how many touches ago it was touched, 1 at least */
};

#endif
