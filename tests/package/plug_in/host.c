/* SPDX-License-Identifier: MIT */
/* A program with a Toft of its own that loads and unloads a plug-in with another:
 * host PLUG_IN. What it does after each unloading asks whatever the plug-in has registered. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <toft/toft.h>

static int works_here(void) {
    toft_pool *pool = toft_pool_shared();
    for (size_t i = 0; i < 3000; i++) {
        char *object = toft_pool_alloc(pool, 8 + i);
        if (object == NULL) return 0;
        memset(object, 'x', 8 + i);
        if (i % 2 == 0) toft_pool_free(pool, object, 8 + i);
    }
    toft_trim();
    return 1;
}

static int works_in_plug_in(const char *path) {
    void *plug_in = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (plug_in == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 0;
    }
    union {
        void *symbol;
        int (*call)(void);
    } works = {dlsym(plug_in, "plug_in_works")};
    union {
        void *symbol;
        const void *(*call)(void);
    } pool = {dlsym(plug_in, "plug_in_pool")};
    int fine = works.symbol != NULL && pool.symbol != NULL && works.call();
    if (fine && pool.call() == toft_pool_shared()) {
        fputs("the plug-in uses the program's pool\n", stderr);
        fine = 0;
    }
    return dlclose(plug_in) == 0 && fine;
}

int main(int count, char **arguments) {
    if (count != 2 || !works_here()) return 1;
    for (int round = 0; round < 3; round++)
        if (!works_in_plug_in(arguments[1]) || !works_here()) return 2;
    pid_t child = fork();
    if (child == 0) return works_here() ? 0 : 3;
    int status = -1;
    if (waitpid(child, &status, 0) != child || status != 0) return 4;
    printf("toft %s\n", TOFT_VERSION);
    return 0;
}
