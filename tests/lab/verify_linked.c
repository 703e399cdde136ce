/* SPDX-License-Identifier: MIT */
/* A library that is linked to a program, and calls the heap at each fork. */
#include <pthread.h>
#include <stdlib.h>

static void call_heap(void) {
    void *volatile own = malloc(100);
    free(own);
}

static __attribute__((constructor)) void begin(void) {
    if (pthread_atfork(call_heap, call_heap, call_heap) != 0) abort();
}
