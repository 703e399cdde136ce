/* SPDX-License-Identifier: MIT */
/* A library whose function ends with a call in tail position: what that makes outlives it. */
#include "optimised_library.h"

#include <stdlib.h>

enum { objects = 200 };

static volatile long sink;

__attribute__((noinline)) static struct piece *make_pieces(void) {
    struct piece *all = NULL;
    for (int i = 0; i != objects; ++i) {
        struct piece *made = malloc(sizeof *made);
        if (!made) abort();
        made->next = all;
        all = made;
    }
    return all;
}

void drop_pieces(struct piece *all) {
    while (all) {
        struct piece *next = all->next;
        free(all);
        all = next;
    }
}

struct piece *serve_in_library(void) {
    drop_pieces(make_pieces());
    sink = 1;
    return make_pieces();
}
