/* SPDX-License-Identifier: MIT */
#include "quiet_words.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct {
    bool is_there;
    dev_t device;
    ino_t inode;
} standard_error;

void know_standard_error(void) {
    struct stat status;
    standard_error.is_there = fstat(STDERR_FILENO, &status) == 0;
    if (!standard_error.is_there) return;
    standard_error.device = status.st_dev;
    standard_error.inode = status.st_ino;
}

bool is_file(int descriptor, dev_t device, ino_t inode) {
    struct stat status;
    return fstat(descriptor, &status) == 0 && status.st_dev == device && status.st_ino == inode;
}

static bool still_has_standard_error(void) {
    return standard_error.is_there &&
           is_file(STDERR_FILENO, standard_error.device, standard_error.inode);
}

/* What is pending for this thread already is for the program to see. */
static void take_signal(int signal, const sigset_t *pending_before) {
    if (sigismember(pending_before, signal)) return;
    sigset_t wanted;
    sigemptyset(&wanted);
    sigaddset(&wanted, signal);
    sigtimedwait(&wanted, NULL, &(const struct timespec){.tv_sec = 0});
}

/* A bare system call, since writev() can be cancelled. */
long write_quietly(int file, const struct iovec *parts, int count) {
    sigset_t pending_before;
    sigpending(&pending_before);
    const long n = syscall(SYS_writev, file, parts, count);
    const int error = errno;
    if (n < 0 && error == EFBIG) take_signal(SIGXFSZ, &pending_before);
    if (n < 0 && error == EPIPE) take_signal(SIGPIPE, &pending_before);
    errno = error;
    return n;
}

void tell_quietly(const char *what, const char *of, int error, const char *consequence) {
    if (!still_has_standard_error()) return;
    char line[PATH_MAX + 128];
    const int length = snprintf(line, sizeof line, "toft record: %s%s: %s; %s\n", what, of,
                                strerrordesc_np(error), consequence);
    const struct iovec words = {line, length < 0 ? 0 : (size_t)length};
    (void)write_quietly(STDERR_FILENO, &words, 1);
}
