/* SPDX-License-Identifier: MIT */
/* Doubly linked lists of structs with prev and next: the first one's prev is NULL, as is the last
 * one's next. A list is a pointer to its first. */
#ifndef TOFT_BASE_LIST_H
#define TOFT_BASE_LIST_H

#include <stddef.h>

/* Each argument is evaluated more than once. */
#define TOFT_LIST_PUSH(list, pushed)                                                               \
    do {                                                                                           \
        (pushed)->prev = NULL;                                                                     \
        (pushed)->next = (list);                                                                   \
        if ((list) != NULL) (list)->prev = (pushed);                                               \
        (list) = (pushed);                                                                         \
    } while (0)

#define TOFT_LIST_REMOVE(list, removed)                                                            \
    do {                                                                                           \
        if ((removed)->prev != NULL)                                                               \
            (removed)->prev->next = (removed)->next;                                               \
        else                                                                                       \
            (list) = (removed)->next;                                                              \
        if ((removed)->next != NULL) (removed)->next->prev = (removed)->prev;                      \
    } while (0)

#endif
