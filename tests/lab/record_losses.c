/* SPDX-License-Identifier: MIT */
/* Programs whose calls the recorder can hardly see, or has no room for: one for each word. The
 * library that it is linked to has objects of its own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <iconv.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern int record_linked_is_killed;

static void *volatile kept;

static void in_thread(void *(*routine)(void *), size_t stack_bytes) {
    pthread_t thread;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (stack_bytes) pthread_attr_setstacksize(&attributes, stack_bytes);
    if (pthread_create(&thread, &attributes, routine, NULL) != 0) exit(3);
    pthread_join(thread, NULL);
}

/* Its own file has the number of the standard error when the recording is gone. */
static void become_daemon(const char *recording, const char *own) {
    kept = malloc(10);
    for (int i = 0; i < 1024; ++i) close(i);
    if (open("/dev/null", O_RDWR) != STDIN_FILENO || dup(STDIN_FILENO) != STDOUT_FILENO) exit(3);
    const int file = open(own, O_WRONLY | O_CREAT | O_EXCL, 0600);
    if (file != STDERR_FILENO || write(file, "its data", 8) != 8) exit(3);
    unlink(recording);
}

static void *allocate_first(void *unused) {
    void *volatile large = malloc(30001);
    free(large);
    return unused;
}

static void *allocate_first_of_mean(void *unused) {
    void *volatile own = malloc(1024);
    free(own);
    return unused;
}

static void *allocate_some(void *unused) {
    for (int i = 0; i < 1000; ++i) free(malloc(4401));
    return unused;
}

/* There is room for a thread with a small stack, and not for what the recorder keeps of it. */
static void starve(void) {
    long pages = 0;
    FILE *status = fopen("/proc/self/statm", "r");
    if (!status || fscanf(status, "%ld", &pages) != 1) exit(3);
    fclose(status);
    const rlim_t most = (rlim_t)(pages + 200) * (rlim_t)sysconf(_SC_PAGESIZE);
    const struct rlimit limit = {most, most};
    if (setrlimit(RLIMIT_AS, &limit) != 0) exit(3);
    in_thread(allocate_some, 1 << 15);
}

/* The child's first call of the heap comes while it can have no more files; the second one's
 * too, and its last. */
static void crowd(void) {
    const struct rlimit limit = {30, 30};
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) exit(3);
    int last = 0;
    for (int file; (file = dup(STDIN_FILENO)) >= 0;) last = file;
    for (int i = 0; i < 2; ++i) {
        if (fork() == 0) {
            for (int k = 0; k < 10; ++k) kept = malloc(4501);
            if (i == 0) close(last);
            for (int k = 0; k < 20; ++k) kept = malloc(4502);
            exit(0);
        }
        wait(NULL);
    }
}

static void be_killed_at_end(void) {
    for (int i = 0; i < 100; ++i) kept = malloc(4701);
    record_linked_is_killed = 1;
}

static void end_after_exec(void) {
    for (int i = 0; i < 10; ++i) kept = malloc(4801);
    execl("/no/such/program", "program", (char *)NULL);
    raise(SIGKILL); /* which no recorder sees */
}

/* C23's names, which this C library hasn't. */
void free_sized(void *, size_t) __attribute__((weak));
void free_aligned_sized(void *, size_t, size_t) __attribute__((weak));

static void free_by_size(void) {
    if (!free_sized || !free_aligned_sized) exit(4);
    for (int i = 0; i < 10; ++i) {
        kept = malloc(4601);
        free_sized(kept, 4601);
        kept = aligned_alloc(64, 64 * 73);
        free_aligned_sized(kept, 64, 64 * 73);
    }
}

/* A converter of the C library's goes when others have been used since; a library may be loaded to
 * its place. Tells whether that has happened. */
static bool is_mapped(const char *name) {
    char line[512];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps)) found = found || strstr(line, name);
    if (maps) fclose(maps);
    return found;
}

static bool convert(const char *to) {
    char in[] = "abc", out[64], *from = in, *behind = out;
    size_t in_left = 3, out_left = sizeof out;
    const iconv_t conversion = iconv_open(to, "UTF-8");
    if (conversion == (iconv_t)-1) return false;
    iconv(conversion, &from, &in_left, &behind, &out_left);
    iconv_close(conversion);
    return true;
}

static void convert_and_load(int count, char **libraries) {
    const char *const others[] = {"ISO-8859-2", "ISO-8859-3", "ISO-8859-4"};
    if (!convert("UTF-16") || !is_mapped("UTF-16")) exit(77);
    for (int i = 0; i < 3; ++i) (void)convert(others[i]);
    if (is_mapped("UTF-16")) exit(77);
    for (int i = 0; i < count; ++i) {
        void *library = dlopen(libraries[i], RTLD_NOW);
        void *symbol = library ? dlsym(library, "allocate_in_library") : NULL;
        if (!symbol) exit(3);
        void (*allocate)(void);
        memcpy(&allocate, &symbol, sizeof allocate);
        allocate();
    }
}

int main(int count, char **words) {
    const char *what = count > 1 ? words[1] : "";
    if (!strcmp(what, "daemon")) become_daemon(words[2], words[3]);
    if (!strcmp(what, "firsts"))
        for (int i = 0; i < 200; ++i) in_thread(allocate_first, 0);
    if (!strcmp(what, "firsts-of-mean"))
        for (int i = 0; i < 1000; ++i) in_thread(allocate_first_of_mean, 0);
    if (!strcmp(what, "starve")) starve();
    if (!strcmp(what, "crowd")) crowd();
    if (!strcmp(what, "killed")) be_killed_at_end();
    if (!strcmp(what, "killed-after-exec")) end_after_exec();
    if (!strcmp(what, "by-size")) free_by_size();
    if (!strcmp(what, "convert")) convert_and_load(count - 2, words + 2);
    return 0;
}
