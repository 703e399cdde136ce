/* SPDX-License-Identifier: MIT */
/* What ends a process, makes it another program, or takes its rights away. */
#include "lock.h"
#include "next_function.h"
#include "output.h"
#include "real_heap.h"
#include "recorder.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

/* Behind these, the C library calls an abort() of its own, which can't be interposed. */
_Noreturn void __assert_fail(const char *, const char *, unsigned, const char *);
_Noreturn void __assert_perror_fail(int, const char *, unsigned, const char *);
_Noreturn void __assert(const char *, const char *, int);
_Noreturn void __stack_chk_fail(void);
_Noreturn void __chk_fail(void);

/* clang-format off */
#define NAMES(F)                                                                                   \
    F(_exit) F(abort) F(daemon)                                                                    \
    F(__assert_fail) F(__assert_perror_fail) F(__assert) F(__stack_chk_fail) F(__chk_fail)         \
    F(execve) F(execv) F(execvp) F(execvpe) F(fexecve) F(execveat)                                 \
    F(chroot) F(setuid) F(seteuid) F(setreuid) F(setresuid)                                        \
    F(setgid) F(setegid) F(setregid) F(setresgid)
/* clang-format on */

static struct {
    NAMES(DECLARE_NEXT)
} next;

/* A constructor may end the process before this library's has been called. */
static void find_names(void) {
    if (next._exit) return;
    NAMES(FIND_NEXT)
}
#define NEXT(name) (find_names(), next.name)

/* quick_exit() calls no destructor. */
static void at_quick_end(void) { finish_recording(toft_end_exit); }

static void tell_operators(void) {
    const char *path = heap_with_operators();
    struct held_lock held;
    lock_recorder(&held);
    output_tell_operators(path);
    unlock_recorder(&held);
}

static bool ends_late;

static void at_exit(int status, void *unused) {
    (void)status;
    (void)unused;
    finish_recording(toft_end_exit);
}

/* The loader calls this library's destructors before those of the libraries that are linked to the
 * program, and these free much. What on_exit() gets before the program begins is called behind all
 * of them; what atexit() gets is called with this library's destructors. */
static __attribute__((constructor)) void at_load(void) {
    real_heap(); /* with sampling, nobody looks later whether it is there */
    find_names();
    start_recorder();
    tell_operators();
    keep_recording_writable();
    (void)at_quick_exit(at_quick_end); /* the first to come is the last to be called */
    ends_late = on_exit(at_exit, NULL) == 0;
}

/* The last of ours, which the loader calls after the program's own. A program may crash in what
 * comes behind it. */
static __attribute__((destructor(101))) void at_end(void) {
    if (ends_late)
        write_what_is_known();
    else
        finish_recording(toft_end_exit); /* there was no memory for that */
}

/* --- the end --- */

EXPORTED _Noreturn void _exit(int status) {
    finish_recording(toft_end_exit);
    NEXT(_exit)(status);
}

EXPORTED _Noreturn void _Exit(int status) { _exit(status); }

EXPORTED _Noreturn void abort(void) {
    finish_recording(toft_end_abort);
    NEXT(abort)();
}

#define ABORT_IN_NEXT(name, arguments)                                                             \
    finish_recording(toft_end_abort);                                                              \
    NEXT(name) arguments;                                                                          \
    abort()

EXPORTED _Noreturn void __assert_fail(const char *what, const char *file, unsigned line,
                                      const char *function) {
    ABORT_IN_NEXT(__assert_fail, (what, file, line, function));
}

EXPORTED _Noreturn void __assert_perror_fail(int error, const char *file, unsigned line,
                                             const char *function) {
    ABORT_IN_NEXT(__assert_perror_fail, (error, file, line, function));
}

EXPORTED _Noreturn void __assert(const char *what, const char *file, int line) {
    ABORT_IN_NEXT(__assert, (what, file, line));
}

EXPORTED _Noreturn void __stack_chk_fail(void) { ABORT_IN_NEXT(__stack_chk_fail, ()); }

EXPORTED _Noreturn void __chk_fail(void) { ABORT_IN_NEXT(__chk_fail, ()); }

static int after_failing(int result) {
    const int error = errno;
    go_on_recording();
    errno = error;
    return result;
}

/* It forks, and the parent ends by an exit of the C library's own; unless it fails. */
EXPORTED int daemon(int stays_in_folder, int keeps_files) {
    save_recording(toft_end_exit);
    return after_failing(NEXT(daemon)(stays_in_folder, keeps_files));
}

/* --- another program: when that fails, this one goes on --- */

EXPORTED int execve(const char *path, char *const *words, char *const *environment) {
    save_recording(toft_end_exec);
    return after_failing(NEXT(execve)(path, words, environment));
}

EXPORTED int execv(const char *path, char *const *words) {
    save_recording(toft_end_exec);
    return after_failing(NEXT(execv)(path, words));
}

EXPORTED int execvp(const char *file, char *const *words) {
    save_recording(toft_end_exec);
    return after_failing(NEXT(execvp)(file, words));
}

EXPORTED int execvpe(const char *file, char *const *words, char *const *environment) {
    save_recording(toft_end_exec);
    return after_failing(NEXT(execvpe)(file, words, environment));
}

EXPORTED int fexecve(int file, char *const *words, char *const *environment) {
    save_recording(toft_end_exec);
    return after_failing(NEXT(fexecve)(file, words, environment));
}

EXPORTED int execveat(int folder, const char *path, char *const *words, char *const *environment,
                      int flags) {
    save_recording(toft_end_exec);
    return after_failing(NEXT(execveat)(folder, path, words, environment, flags));
}

/* The words of a call with as many arguments as there are, and room for the NULL behind them. */
#define COLLECT_WORDS(first, environment)                                                          \
    va_list count_them, take_them;                                                                 \
    va_start(count_them, first);                                                                   \
    va_copy(take_them, count_them);                                                                \
    size_t count = 1;                                                                              \
    while (va_arg(count_them, char *)) ++count;                                                    \
    va_end(count_them);                                                                            \
    char *words[count + 1];                                                                        \
    words[0] = (char *)(uintptr_t)first;                                                           \
    for (size_t i = 1; i <= count; ++i) words[i] = va_arg(take_them, char *);                      \
    (environment);                                                                                 \
    va_end(take_them)

EXPORTED int execl(const char *path, const char *first, ...) {
    COLLECT_WORDS(first, (void)0);
    return execv(path, words);
}

EXPORTED int execlp(const char *file, const char *first, ...) {
    COLLECT_WORDS(first, (void)0);
    return execvp(file, words);
}

EXPORTED int execle(const char *path, const char *first, ...) {
    char *const *environment;
    COLLECT_WORDS(first, environment = va_arg(take_them, char *const *));
    return execve(path, words, environment);
}

/* --- rights, which daemons give up when they have closed all files that they don't know --- */

#define GIVE_UP(name, parameters, arguments)                                                       \
    EXPORTED int name parameters {                                                                 \
        keep_recording_writable();                                                                 \
        return NEXT(name) arguments;                                                               \
    }

GIVE_UP(chroot, (const char *path), (path))
GIVE_UP(setuid, (uid_t user), (user))
GIVE_UP(seteuid, (uid_t effective), (effective))
GIVE_UP(setreuid, (uid_t real, uid_t effective), (real, effective))
GIVE_UP(setresuid, (uid_t real, uid_t effective, uid_t saved), (real, effective, saved))
GIVE_UP(setgid, (gid_t group), (group))
GIVE_UP(setegid, (gid_t effective), (effective))
GIVE_UP(setregid, (gid_t real, gid_t effective), (real, effective))
GIVE_UP(setresgid, (gid_t real, gid_t effective, gid_t saved), (real, effective, saved))
