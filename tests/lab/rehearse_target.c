/* SPDX-License-Identifier: MIT */
/* A program for rehearsals of an arena in serve():
 *
 *     rehearse_target WAY REQUESTS
 *
 * Each call makes 100 objects, looks whether they hold what was written to them, and frees them;
 * with "all" they are made in every way in which a heap makes them, and with "hooked" nobody asks
 * for their sizes. Ends with 1 when one of them doesn't hold it. */
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define APART __attribute__((noinline))

enum { objects = 100, kept_most = 64, kept_by_a_request = 2 };

static const char *way;
static unsigned char *kept[kept_most]; /* by requests, until others take the place */
static size_t kept_count;
static volatile long sink;

static bool is(const char *name) { return strcmp(way, name) == 0; }

static void require(bool holds) {
    if (!holds) exit(1);
}

struct object {
    unsigned char *at;
    size_t bytes;
};

static void fill(struct object o, size_t number) { memset(o.at, (int)(number % 255 + 1), o.bytes); }

static void look_at(struct object o, size_t number) {
    for (size_t i = 0; i != o.bytes; ++i) require(o.at[i] == number % 255 + 1);
}

/* Also where others are its neighbours, and where there is no room behind it. */
APART static struct object make_and_resize(size_t number) {
    struct object o = {malloc(16), 16};
    require(o.at != NULL);
    fill(o, number);
    for (size_t bytes = 24; bytes <= 16 * number; bytes *= 3) {
        void *to = realloc(o.at, bytes);
        require(to != NULL);
        o.at = to;
        look_at(o, number);
        o.bytes = bytes;
        fill(o, number);
    }
    if (o.bytes < 200) return o;
    o.at = realloc(o.at, o.bytes = 100);
    look_at(o, number);
    return o;
}

APART static struct object make_aligned(size_t number) {
    const size_t alignment = (size_t)16 << number % 5;
    void *p = NULL;
    require(posix_memalign(&p, alignment, number) == 0 && (uintptr_t)p % alignment == 0);
    return (struct object){p, number};
}

APART static struct object make_zeroed(size_t number) {
    struct object o = {calloc(number, 3), 3 * number};
    for (size_t i = 0; i != o.bytes; ++i) require(o.at[i] == 0);
    return o;
}

APART static struct object make_object(size_t number) {
    if (number % 4 == 1) return make_and_resize(number);
    if (number % 4 == 2) return make_aligned(number);
    if (number % 4 == 3) return make_zeroed(number);
    struct object o = {malloc(number), number};
    require(o.at && (number < 9 || (uintptr_t)o.at % 16 == 0));
    require(is("hooked") || malloc_usable_size(o.at) >= number);
    return o;
}

/* The stack pointer is the same in each call, or nearly always: only frames further out tell the
 * one from the other. */
APART static unsigned char *make_somewhere(void) {
    _Alignas(4096) volatile char room[64];
    room[0] = 1;
    unsigned char *made = malloc(24);
    require(made != NULL);
    made[0] = (unsigned char)room[0];
    return made;
}

/* So that more of them must be looked at. */
APART static unsigned char *make_far_in(int depth) {
    if (depth == 0) return make_somewhere();
    unsigned char *made = make_far_in(depth - 1);
    sink = depth;
    return made;
}

static unsigned char *make_plain(void) { return is("alike") ? make_far_in(6) : make_somewhere(); }

APART static void keep_one(void) {
    unsigned char **place = &kept[kept_count++ % kept_most];
    free(*place);
    *place = make_plain();
}

static double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

APART static void work_for(double seconds) {
    for (const double end = seconds_now() + seconds; seconds_now() < end;) sink = sink + 1;
}

/* Each free takes its time. */
APART static void free_slowly(const struct object *all) {
    const double begin = seconds_now();
    for (size_t i = 0; i != objects; ++i) {
        for (long k = 0; k != 2000; ++k) sink = k;
        free(all[i].at);
    }
    fprintf(stderr, "teardown %.9f\n", seconds_now() - begin);
}

APART static void serve(long request) {
    struct object all[objects];
    for (size_t i = 0; i != objects; ++i)
        all[i] = is("all") || is("hooked") ? make_object(i + 1) : (struct object){make_plain(), 24};
    for (int i = 0; i != kept_by_a_request && (is("keeps") || is("alike")); ++i) keep_one();
    for (size_t i = 0; i != objects; ++i) fill(all[i], i + (size_t)request);
    for (size_t i = 0; i != objects; ++i) look_at(all[i], i + (size_t)request);
    if (is("slow")) {
        free_slowly(all);
        return;
    }
    for (size_t i = 0; i != objects; ++i) {
        free(all[i].at);
        if (i == objects / 2 && is("pause")) work_for(.002);
    }
    sink = request;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    way = argv[1];
    const long requests = atol(argv[2]);
    for (long i = 1; i <= requests; ++i) serve(i);
    for (size_t i = 0; i != kept_most; ++i) free(kept[i]);
    return 0;
}
