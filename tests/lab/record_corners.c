/* SPDX-License-Identifier: MIT */
/* Programs that once crashed under the recorder, or whose calls it lost: one for each word. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void *volatile kept;

/* Sizes that can't be guessed, so that the file grows. */
static void allocate_at_random(int count) {
    static void *objects[256];
    for (int i = 0; i < count; ++i) {
        const int at = rand() % 256;
        free(objects[at]);
        objects[at] = malloc((size_t)(rand() % 500));
    }
}

/* Its recording may not grow, and nobody reads what is said of that. The program itself writes
 * nothing but one word at its end. */
static void limited(void) {
    const struct rlimit limit = {20000, 20000};
    int ends[2];
    if (pipe(ends) != 0 || setrlimit(RLIMIT_FSIZE, &limit) != 0) exit(3);
    close(ends[0]);
    dup2(ends[1], STDERR_FILENO);
    allocate_at_random(300000);
    puts("alive");
}

/* A signal that the program has raised itself, and holds back, stays its own. */
static void holds_back(void) {
    sigset_t held;
    sigemptyset(&held);
    sigaddset(&held, SIGXFSZ);
    sigprocmask(SIG_BLOCK, &held, NULL);
    raise(SIGXFSZ);
    limited();
    sigpending(&held);
    puts(sigismember(&held, SIGXFSZ) ? "pending" : "lost");
}

int main(int count, char **words) {
    const char *what = count > 1 ? words[1] : "";
    kept = NULL;
    if (!strcmp(what, "limited")) limited();
    if (!strcmp(what, "holds-back")) holds_back();
    return 0;
}
