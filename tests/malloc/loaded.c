/* SPDX-License-Identifier: MIT */
/* The library that loading.c loads: it frees what the program made, and makes what that frees. Its
 * constructor waits for a thread that starts another by a function that nobody called before. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>

char *renew(char *text);

char *renew(char *text) {
    static const char made[] = "made by the library";
    free(text);
    char *object = malloc(sizeof made);
    return object == NULL ? NULL : memcpy(object, made, sizeof made);
}

static void *do_nothing(void *nothing) { return nothing; }

static int start_another(void *nothing) {
    pthread_t thread;
    (void)nothing;
    return pthread_create(&thread, NULL, do_nothing, NULL) == 0 ? pthread_join(thread, NULL) : 1;
}

/* The loader's lock is held. */
__attribute__((constructor)) static void at_load(void) {
    thrd_t thread;
    if (thrd_create(&thread, start_another, NULL) != thrd_success) abort();
    thrd_join(thread, NULL);
}
