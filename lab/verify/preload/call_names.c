/* SPDX-License-Identifier: MIT */
/* Calls of the system that read or write a program's memory: for them an unreadable object is no
 * fault but an error, EFAULT. */
#include "plan_file.h"
#include "record/preload/next_function.h"
#include "verifier.h"

#include <stdint.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

static __attribute__((constructor)) void at_load(void) { start_verifier(); }

/* The next library's, or the system's while that is looked for. */
#define NEXT(name)                                                                                 \
    static __typeof__(&name) next;                                                                 \
    if (!next) find_next(#name, (void *)&next)

EXPORTED ssize_t write(int file, const void *data, size_t bytes) {
    NEXT(write);
    see_system_call("write", data, bytes, CALLERS_FRAME());
    return next(file, data, bytes);
}

EXPORTED ssize_t pwrite(int file, const void *data, size_t bytes, off_t offset) {
    NEXT(pwrite);
    see_system_call("pwrite", data, bytes, CALLERS_FRAME());
    return next(file, data, bytes, offset);
}

EXPORTED ssize_t send(int socket, const void *data, size_t bytes, int flags) {
    NEXT(send);
    see_system_call("send", data, bytes, CALLERS_FRAME());
    return next(socket, data, bytes, flags);
}

EXPORTED ssize_t read(int file, void *data, size_t bytes) {
    NEXT(read);
    see_system_call("read", data, bytes, CALLERS_FRAME());
    return next(file, data, bytes);
}

EXPORTED ssize_t pread(int file, void *data, size_t bytes, off_t offset) {
    NEXT(pread);
    see_system_call("pread", data, bytes, CALLERS_FRAME());
    return next(file, data, bytes, offset);
}

EXPORTED ssize_t recv(int socket, void *data, size_t bytes, int flags) {
    NEXT(recv);
    see_system_call("recv", data, bytes, CALLERS_FRAME());
    return next(socket, data, bytes, flags);
}
