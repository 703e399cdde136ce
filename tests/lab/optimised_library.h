/* SPDX-License-Identifier: MIT */
#ifndef TOFT_TESTS_LAB_OPTIMISED_LIBRARY_H
#define TOFT_TESTS_LAB_OPTIMISED_LIBRARY_H

struct piece {
    struct piece *next;
    char text[40];
};

struct piece *serve_in_library(void); /* the caller frees what it returns */
void drop_pieces(struct piece *);

#endif
