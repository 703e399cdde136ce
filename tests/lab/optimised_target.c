/* SPDX-License-Identifier: MIT */
/* A program whose functions an optimising compiler inlines:
 *
 *     optimised_target WAY REQUEST
 *
 * The advice for it is that for its text, however it was compiled. The request of that number, if
 * there is one, keeps an object, which is used after all requests. */
#include "optimised_library.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { requests = 100, objects = 200, levels = 5 };

struct node {
    struct node *left, *right;
    long number;
};

static struct node *kept;
static volatile long sink;

static struct node *make_node(struct node *left, struct node *right) {
    struct node *made = malloc(sizeof *made);
    if (!made) abort();
    *made = (struct node){left, right, 1};
    return made;
}

/* What main() keeps from its beginning to its end isn't the requests'. */
__attribute__((noinline)) static char *make_name(long request) {
    char *name = malloc(40);
    if (!name) abort();
    snprintf(name, 40, "request %ld", request);
    return name;
}

static struct node *make_list(void) {
    struct node *list = NULL;
    for (int i = 0; i != objects; ++i) list = make_node(list, NULL);
    return list;
}

static inline void drop_nodes(struct node *list, bool keeps) {
    while (list) {
        struct node *next = list->left;
        if (keeps && !next)
            kept = list;
        else
            free(list);
        list = next;
    }
}

static void serve(bool keeps) {
    struct node *list = make_list();
    drop_nodes(list, keeps);
}

/* The last call takes the place of its caller's frame. */
__attribute__((noinline)) static void drop_list(struct node *list, bool keeps) {
    drop_nodes(list, keeps);
}
__attribute__((noinline)) static void serve_and_drop(bool keeps) { drop_list(make_list(), keeps); }

/* And so does a call of the heap. */
__attribute__((noinline)) static void serve_and_free(bool keeps) {
    struct node *list = make_list(), *last = list;
    for (struct node *next = list->left; next; next = next->left) {
        free(last);
        last = next;
    }
    if (keeps) kept = last;
    free(keeps ? NULL : last);
}

/* What the last call of the last call makes outlives both. */
__attribute__((noinline)) static struct node *make_last(void) { return make_list(); }
__attribute__((noinline)) static struct node *serve_and_make(bool keeps) {
    drop_list(make_list(), keeps);
    return make_last();
}
__attribute__((noinline)) static struct node *pass_on(bool keeps) {
    sink = 1;
    return serve_and_make(keeps);
}

/* A compiler may inline the early way out alone, and set the rest apart. */
static void serve_if(int request, bool keeps) {
    if (request < 0) return;
    struct node *list = make_list();
    sink = request;
    drop_list(list, keeps);
    free(make_name(request));
}
__attribute__((noinline)) static void serve_some(int request, bool keeps) {
    serve_if(request, keeps);
    serve_if(-1, keeps);
    sink = 2;
}
__attribute__((noinline)) static void serve_others(int request) {
    serve_if(-request, false);
    sink = 3;
}

/* Each call makes a scratch of its own, and a node that outlives it. */
static struct node *parse(int level) {
    if (level == 0) return NULL;
    char *scratch = make_name(level);
    struct node *left = parse(level - 1);
    struct node *made = make_node(left, parse(level - 1));
    free(scratch);
    return made;
}

static void drop(struct node *tree) {
    if (!tree) return;
    drop(tree->left);
    drop(tree->right);
    free(tree);
}

__attribute__((noinline)) static void parse_and_drop(void) {
    drop(parse(levels));
    sink = 1;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    const long chosen = atol(argv[2]);
    char *names[requests];
    for (int i = 0; i != requests; ++i) names[i] = make_name(i);
    for (int i = 0; i != requests; ++i) {
        if (strcmp(argv[1], "recursion") == 0)
            parse_and_drop();
        else if (strcmp(argv[1], "last-call") == 0)
            serve_and_drop(i + 1 == chosen);
        else if (strcmp(argv[1], "last-free") == 0)
            serve_and_free(i + 1 == chosen);
        else if (strcmp(argv[1], "last-make") == 0)
            drop_list(pass_on(i + 1 == chosen), false);
        else if (strcmp(argv[1], "library") == 0)
            drop_pieces(serve_in_library());
        else if (strcmp(argv[1], "part") == 0)
            serve_some(i, i + 1 == chosen), serve_others(i + 1);
        else
            serve(i + 1 == chosen);
        const bool closes = strcmp(argv[1], "closes") == 0; /* a library, which stays */
        if (closes) dlclose(dlopen(NULL, RTLD_NOW));
        if (closes || strcmp(argv[1], "between") == 0)
            free(make_name(i)); /* from outside of the request */
    }
    if (kept) sink = kept->number; /* where it is read */
    for (int i = 0; i != requests; ++i) free(names[i]);
    return 0;
}
