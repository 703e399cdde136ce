/* SPDX-License-Identifier: MIT */
/* A program that loads a library with RTLD_DEEPBIND, and exchanges objects with it. The library is
 * found where this program's RUNPATH says. A hang is ended by alarm. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <unistd.h>

static int do_nothing(void *nothing) {
    (void)nothing;
    return 0;
}

/* The first thread is started between an error of dlopen and the question what it was. */
static bool error_outlives_first_thread(void) {
    thrd_t thread;
    if (dlopen("libtoft_that_is_nowhere.so", RTLD_NOW) != NULL) return false;
    if (thrd_create(&thread, do_nothing, NULL) != thrd_success) return false;
    thrd_join(thread, NULL);
    return dlerror() != NULL;
}

int main(void) {
    enum { hang_seconds = 300 };
    alarm(hang_seconds);
    if (dlsym(RTLD_DEFAULT, "toft_malloc_version") == NULL) {
        fputs("libtoft-malloc isn't there\n", stderr);
        return 1;
    }
    if (!error_outlives_first_thread()) {
        fputs("dlerror() says nothing of an error\n", stderr);
        return 1;
    }
    void *handle = dlopen("libtoft_loaded.so", RTLD_NOW | RTLD_DEEPBIND);
    if (handle == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    char *(*renew)(char *) = __extension__(char *(*)(char *)) dlsym(handle, "renew");
    if (renew == NULL) return 1;
    for (int i = 0; i < 1000; i++) {
        char *text = strdup("made by the program");
        if (text == NULL) return 1;
        text = renew(text);
        if (text == NULL || strcmp(text, "made by the library") != 0) return 1;
        free(text);
    }
    return dlclose(handle);
}
