/* SPDX-License-Identifier: MIT */
/* A program that gives up its rights before it does its work, as daemons do: the words say which,
 * one after the other. What it may not do is told by its status. */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { not_allowed = 77, nobody = 65534 };

static void *volatile kept;

/* From now on no file can be opened. Each user may ask for that. */
static void forbid_files(void) {
    struct sock_filter words[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ, SYS_openat, 0, 1),
        BPF_STMT(BPF_RET, SECCOMP_RET_ERRNO | 13 /* EACCES */),
        BPF_STMT(BPF_RET, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = {sizeof words / sizeof *words, words};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        _exit(not_allowed);
}

static void give_up(const char *what) {
    if (!strcmp(what, "files")) forbid_files();
    if (!strcmp(what, "close"))
        for (int i = 3; i < 1024; ++i) close(i);
    if (!strcmp(what, "root") && (chroot("/proc") != 0 || chdir("/") != 0)) _exit(not_allowed);
    if (!strcmp(what, "user") && setuid(nobody) != 0) _exit(not_allowed);
    if (!strcmp(what, "fork")) {
        const pid_t child = fork();
        if (child != 0) {
            waitpid(child, NULL, 0);
            exit(0);
        }
        kept = malloc(4001);
    }
}

int main(int count, char **words) {
    for (int i = 1; i < count; ++i) give_up(words[i]);
    for (int i = 0; i < 1000; ++i) kept = malloc(4002);
    return 0;
}
