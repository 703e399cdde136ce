/* SPDX-License-Identifier: MIT */
/* Parses arithmetic into a tree that lives in an arena, prints it, and gives its value:
 *
 *     $ example_expression '2 * (3 + 4) - 10 / 4'
 *     (- (* 2 (+ 3 4)) (/ 10 4)) = 11.5
 *
 * No node is freed by itself, on no path, not even where parsing fails half-way: the arena is
 * released once, at the end.
 *
 * README.md beside this file says how it is compiled. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include <toft/arena.h>

enum { depth_max = 1000 }; /* the functions that walk along a tree call themselves */

typedef struct node {
    char kind; /* 0 for a number */
    int depth; /* of what lies below */
    double number;
    struct node *left, *right;
} node;

typedef struct parser {
    const char *rest;
    int open; /* brackets */
    toft_arena *arena;
    const char *error; /* the first, or NULL */
} parser;

static node *fail(parser *p, const char *error) {
    if (p->error == NULL) p->error = error;
    return NULL;
}

static node *make(parser *p, node contents) {
    if (contents.depth > depth_max) return fail(p, "too deep");
    node *made = toft_new(p->arena, node);
    if (made == NULL) return fail(p, "out of memory");
    *made = contents;
    return made;
}

static char peek(parser *p) {
    while (isspace((unsigned char)*p->rest)) p->rest++;
    return *p->rest;
}

static node *sum(parser *p);

static node *operand(parser *p) {
    if (peek(p) == '(') {
        if (p->open == depth_max) return fail(p, "too deep");
        p->open++;
        p->rest++;
        node *inner = sum(p);
        if (p->error != NULL) return NULL;
        if (peek(p) != ')') return fail(p, "a ) is missing");
        p->rest++;
        p->open--;
        return inner;
    }
    char *end;
    double number = strtod(p->rest, &end);
    if (end == p->rest) return fail(p, "a number is missing");
    p->rest = end;
    return make(p, (node){.number = number});
}

/* NULL where the right side, which was parsed last, failed. */
static node *join(parser *p, char kind, node *left, node *right) {
    if (p->error != NULL) return NULL;
    int depth = 1 + (left->depth > right->depth ? left->depth : right->depth);
    return make(p, (node){.kind = kind, .depth = depth, .left = left, .right = right});
}

static node *product(parser *p) {
    node *left = operand(p);
    while (p->error == NULL && (peek(p) == '*' || peek(p) == '/')) {
        char kind = *p->rest++;
        left = join(p, kind, left, operand(p));
    }
    return left;
}

static node *sum(parser *p) {
    node *left = product(p);
    while (p->error == NULL && (peek(p) == '+' || peek(p) == '-')) {
        char kind = *p->rest++;
        left = join(p, kind, left, product(p));
    }
    return left;
}

static double value(const node *n) {
    switch (n->kind) {
    case '+':
        return value(n->left) + value(n->right);
    case '-':
        return value(n->left) - value(n->right);
    case '*':
        return value(n->left) * value(n->right);
    case '/':
        return value(n->left) / value(n->right);
    default:
        return n->number;
    }
}

static void print(const node *n) {
    if (n->kind == 0) {
        printf("%g", n->number);
        return;
    }
    printf("(%c ", n->kind);
    print(n->left);
    putchar(' ');
    print(n->right);
    putchar(')');
}

int main(int argc, char **argv) {
    toft_arena arena = TOFT_ARENA_INIT;
    parser p = {.rest = argc == 2 ? argv[1] : "", .arena = &arena};
    node *tree = sum(&p);
    if (p.error == NULL && peek(&p) != '\0') fail(&p, "an operator is missing");
    if (p.error != NULL) {
        fprintf(stderr, "expression: %s at '%s'\n", p.error, p.rest);
    } else {
        print(tree);
        printf(" = %g\n", value(tree));
    }
    toft_arena_release(&arena);
    return p.error == NULL ? 0 : 1;
}
