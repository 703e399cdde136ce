/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "malloc/dropin/settings.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "malloc/door.h"
#include "pool/checked.h"

enum { standard_error = 2 };

bool toft_dropin_has_operators;
bool toft_dropin_keeps_deepbind;

static int statistics_number = -1;
static struct stat statistics_file;
static bool foreign_aborts;
static size_t foreign_frees; /* atomic */

/* --- what isn't ours --- */

size_t toft_dropin_foreign_frees(void) { return __atomic_load_n(&foreign_frees, __ATOMIC_RELAXED); }

void toft_dropin_refuse(void *object, const char *call) {
    if (foreign_aborts)
        toft_pool_misuse_by(toft_pool_shared(), call, object,
                            "freed before, or never allocated by malloc");
}

/* Another allocator's object, of which only that one knows what to do: it is left where it is. Also
   a large object that is freed twice; nothing happens to whoever has its memory now. */
void toft_door_foreign(void *object, const char *call) {
    toft_dropin_refuse(object, call);
    __atomic_fetch_add(&foreign_frees, 1, __ATOMIC_RELAXED);
}

/* --- the environment --- */

/* Who sets something relies on it, so what has no effect is told, or another one. */
static void tell(const char *name, const char *what, const char *set) {
    toft_text text = {.length = 0};
    toft_text_add(&text, "toft-malloc: ");
    toft_text_add(&text, name);
    toft_text_add(&text, what);
    toft_text_add(&text, ": ");
    toft_text_add_clipped(&text, set);
    toft_text_add(&text, "\n");
    toft_text_write(&text, standard_error);
}

#define PREFIX "TOFT_MALLOC_"
static const char *const names[] = {"STATISTICS", "LIMIT", "KEEP",    "FOREIGN",
                                    "CHECK",      "SIZED", "DEEPBIND"};
#define LIST_OF_NAMES PREFIX "STATISTICS, _LIMIT, _KEEP, _FOREIGN, _CHECK, _SIZED and _DEEPBIND"

/* Whether what begins behind the prefix is one of the names, with its value. */
static bool is_name(const char *set) {
    size_t length = strcspn(set, "=");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && memcmp(set, names[i], length) == 0) return true;
    return false;
}

/* A name that is misspelt sets nothing. */
static void tell_unknown(char *const *set) {
    bool is_trusted = getauxval(AT_SECURE) == 0; /* as secure_getenv does */
    for (; is_trusted && set != NULL && *set != NULL; set++) {
        if (strncmp(*set, PREFIX, strlen(PREFIX)) != 0 || is_name(*set + strlen(PREFIX))) continue;
        tell("a variable is ignored", ", since there are only " LIST_OF_NAMES, *set);
    }
}

/* `usual` is what it may be set to without any effect, besides nothing. */
static bool is_set_to(const char *name, const char *value, const char *usual, const char *values) {
    const char *set = secure_getenv(name);
    if (set == NULL || *set == '\0' || strcmp(set, usual) == 0) return false;
    if (strcmp(set, value) == 0) return true;
    tell(name, values, set);
    return false;
}

static bool is_set_to_digit(const char *name, const char *value) {
    return is_set_to(name, value, *value == '0' ? "1" : "0", " is ignored: it is neither 0 nor 1");
}

/* A number with K, M or G behind it, or nothing. False for whatever else. */
static bool parse_bytes(const char *text, size_t *bytes) {
    size_t number = 0;
    if (*text < '0' || *text > '9') return false;
    for (; *text >= '0' && *text <= '9'; text++) {
        if (number > SIZE_MAX / 10 - 9) return false;
        number = number * 10 + (size_t)(*text - '0');
    }
    const char *units = "KMG", *unit = *text != '\0' ? strchr(units, *text) : NULL;
    if (*text != '\0' && (unit == NULL || text[1] != '\0')) return false;
    unsigned shift = unit == NULL ? 0 : 10 * (unsigned)(unit - units + 1);
    *bytes = number << shift;
    return number <= SIZE_MAX >> shift;
}

/* 0 where it isn't set, or where it can't be read. */
static size_t bytes_set(const char *name) {
    const char *set = secure_getenv(name);
    size_t bytes;
    if (set == NULL || *set == '\0') return 0;
    if (parse_bytes(set, &bytes)) return bytes;
    tell(name, " is ignored: it is no number of bytes, such as 64M", set);
    return 0;
}

/* Who loads a program allocates before this library's constructor runs: a process has its first
   block by then. Without one it could do nothing at all. */
static size_t limit_set(void) {
    static const char name[] = PREFIX "LIMIT";
    size_t bytes = bytes_set(name);
    if (bytes == 0 || bytes >= TOFT_SEGMENT_BYTES) return bytes;
    tell(name, " is taken for 512K, the least that a process has", secure_getenv(name));
    return TOFT_SEGMENT_BYTES;
}

/* The linker puts them at this library's beginning and end. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

/* Compares addresses, since dladdr takes several times as long as the search: each start of a
   program would wait for it. */
static bool is_ours(const char *symbol) {
    uintptr_t found = (uintptr_t)dlsym(RTLD_DEFAULT, symbol);
    return found >= (uintptr_t)__ehdr_start && found < (uintptr_t)_end;
}

/* NULL in a C program, which is spared the search: should it load C++ code later, that is served
   without trust in sizes. */
extern void cpp_run_time(void) __asm__("_ZSt17__throw_bad_allocv") __attribute__((weak));

/* The program may have replaced a form of operator new, but not all forms of delete: then sizes
   that these are given are not those of our objects. */
static bool operators_are_ours(void) {
#if SIZE_MAX == UINT_MAX
    #define SIZE "j"
#else
    #define SIZE "m"
#endif
#define EACH_FORM(name, argument)                                                                  \
    name argument, name argument "RKSt9nothrow_t", name argument "St11align_val_t",                \
        name argument "St11align_val_tRKSt9nothrow_t"
    static const char *const symbols[] = {
        EACH_FORM("_Znw", SIZE),
        EACH_FORM("_Zna", SIZE),
        EACH_FORM("_Zdl", "Pv"),
        EACH_FORM("_Zda", "Pv"),
        "_ZdlPv" SIZE,
        "_ZdaPv" SIZE,
        "_ZdlPv" SIZE "St11align_val_t",
        "_ZdaPv" SIZE "St11align_val_t",
    };
    if (cpp_run_time == NULL) return false;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (!is_ours(symbols[i])) return false;
    return true;
}

/* --- statistics at exit --- */

/* Some programs close all files that they find, and open their own under the same numbers. */
static bool has_standard_error(void) {
    struct stat now;
    return fstat(statistics_number, &now) == 0 && now.st_dev == statistics_file.st_dev &&
           now.st_ino == statistics_file.st_ino;
}

/* A child may be a daemon: who reads what its parent writes waits until nobody has that file. The
   program's own copy of standard error, which may have this number now, is kept beyond an exec. */
static void let_go_in_child(void) {
    if (statistics_number != standard_error && has_standard_error() &&
        (fcntl(statistics_number, F_GETFD) & FD_CLOEXEC) != 0)
        close(statistics_number);
    statistics_number = standard_error;
}

/* Some programs close their standard error before this library's destructor runs. What a script or
   a program opens under a number of its choice is seldom beyond 999. */
static void keep_standard_error(void) {
    static const int least_numbers[] = {1000, 100, 3}; /* where few files may be open */
    statistics_number = -1;
    for (size_t i = 0; statistics_number < 0 && i < sizeof least_numbers / sizeof(int); i++)
        statistics_number = fcntl(standard_error, F_DUPFD_CLOEXEC, least_numbers[i]);
    if (statistics_number < 0) statistics_number = standard_error; /* no number is free */
    if (fstat(statistics_number, &statistics_file) != 0)
        statistics_number = -1;
    else
        (void)pthread_atfork(NULL, NULL, let_go_in_child);
}

__attribute__((constructor)) static void read_settings(void) {
    toft_pool_of_process.name = "malloc";
    tell_unknown(environ);
    foreign_aborts =
        is_set_to("TOFT_MALLOC_FOREIGN", "abort", "", " is ignored: it is not the word abort");
    if (is_set_to_digit("TOFT_MALLOC_CHECK", "1")) {
        foreign_aborts = true;
        toft_pool_check_frees(toft_pool_shared());
    }
    if (is_set_to_digit("TOFT_MALLOC_STATISTICS", "1")) keep_standard_error();
    toft_pool_of_process.heap.limit_bytes = limit_set();
    toft_pool_of_process.heap.keep_bytes = bytes_set("TOFT_MALLOC_KEEP");
    toft_dropin_keeps_deepbind = is_set_to_digit("TOFT_MALLOC_DEEPBIND", "1");
    bool ignores_sizes = is_set_to_digit("TOFT_MALLOC_SIZED", "0");
    toft_dropin_has_operators = !foreign_aborts && !ignores_sizes && operators_are_ours();
}

__attribute__((destructor)) static void at_exit(void) {
    if (statistics_number >= 0 && has_standard_error())
        toft_dropin_write_statistics(statistics_number);
}
