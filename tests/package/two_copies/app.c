/* SPDX-License-Identifier: MIT */
/* A process with three Tofts: its own, and one in each of two shared libraries, the second of which
   is loaded late. Each works in turn, also in a process that was forked. */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <toft/toft.h>

bool work_early(void);

static bool work_here(void) {
    void *object = toft_pool_alloc(toft_pool_shared(), 100);
    if (object == NULL) return false;
    memset(object, 'x', 100);
    toft_pool_free(toft_pool_shared(), object, 100);
    return true;
}

int main(int count, char **arguments) {
    void *late = count == 2 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (late == NULL) return 1;
    union {
        void *symbol;
        bool (*call)(void);
    } work_late = {dlsym(late, "work_late")};
    if (work_late.symbol == NULL) return 2;
    for (int round = 0; round < 3; round++)
        if (!work_here() || !work_early() || !work_late.call()) return 3;
    pid_t child = fork();
    if (child == 0) return work_early() && work_late.call() && work_here() ? 0 : 4;
    int status = -1;
    if (waitpid(child, &status, 0) != child || status != 0) return 5;
    printf("toft %s\n", TOFT_VERSION);
    return 0;
}
