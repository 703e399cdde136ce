/* SPDX-License-Identifier: MIT */
/* A program that loads a library with RTLD_DEEPBIND, and exchanges objects with it. The library is
 * found where this program's RUNPATH says. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
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
