/* SPDX-License-Identifier: MIT */
/* A program whose right advice is known, to be recorded: each request makes a list and a name, and
 * only the name outlives it. */
#include <stdio.h>
#include <stdlib.h>

struct node {
    struct node *next;
    char text[40];
};

static inline struct node *make_node(struct node *next) {
    struct node *made = malloc(sizeof *made);
    if (!made) abort();
    made->next = next;
    made->text[0] = 'x';
    return made;
}

__attribute__((noinline)) static void free_list(struct node *list) {
    while (list) {
        struct node *next = list->next;
        free(list);
        list = next;
    }
}

__attribute__((noinline)) static char *name_of_request(int number) {
    char *name = malloc(32);
    if (!name) abort();
    snprintf(name, 32, "request %d", number);
    return name;
}

__attribute__((noinline)) static char *serve(int number) {
    struct node *list = NULL;
    for (int i = 0; i != 1000; ++i) list = make_node(list);
    char *name = name_of_request(number);
    free_list(list); /* where they all die */
    return name;
}

int main(int argc, char **argv) {
    char *names[200];
    (void)argv;
    static char *kept;
    if (argc > 1) kept = name_of_request(-1); /* by nobody freed */
    for (int i = 0; i != 200; ++i) names[i] = serve(i);
    for (int i = 0; i != 200; ++i) free(names[i]);
    return kept && !kept[0];
}
