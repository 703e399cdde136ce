/* SPDX-License-Identifier: MIT */
/* A program for `toft try`'s tests to run:  try_target WORD...
 *   work          allocates, fills and frees for a while
 *   burst         fills 100 MB, and frees them at once
 *   small-burst   the same with 6 MiB
 *   say TEXT      prints the text
 *   differ        prints something else in each process
 *   crash-under X aborts when LD_PRELOAD's text holds X
 *   fail          exits with status 3
 *   serve PORT    answers each connection but the first on that port of the loopback device, after
 *                 some work
 *   serve-loudly PORT    the same, and says more on standard error than a pipe holds
 *   serve-in-child PORT  the same in a child, which the program ends with itself
 *   serve-by-forks PORT  each connection in a child of its own */
#define _DEFAULT_SOURCE
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void work(void) {
    enum { objects = 2000, rounds = 50 };
    static char *kept[objects];
    for (int round = 0; round != rounds; ++round) {
        for (int i = 0; i != objects; ++i) {
            kept[i] = malloc(64);
            if (kept[i]) memset(kept[i], i, 64);
        }
        for (int i = 0; i != objects; ++i) free(kept[i]);
    }
}

/* Takes many times as long as work(), however slow that is just then. */
static void compute(void) {
    for (volatile unsigned i = 0; i != 20 * 1000 * 1000; ++i) {}
}

static void burst(size_t bytes) {
    char *all = malloc(bytes);
    if (all) memset(all, 1, bytes);
    __asm__ volatile("" : : "r"(all) : "memory");
    free(all);
}

static int listener_on(int port) {
    const int listener = socket(AF_INET, SOCK_STREAM, 0);
    const int on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (struct sockaddr *)&here, sizeof here) != 0 || listen(listener, 16) != 0) {
        perror("try_target");
        exit(4);
    }
    return listener;
}

/* Who asks whether the port can be reached must not do so from the listener's own address: now and
 * then the system would have it reach itself, before anybody listens. */
static void be_asked_from_elsewhere(int listener) {
    struct sockaddr_in from;
    socklen_t length = sizeof from;
    const int peer = accept(listener, (struct sockaddr *)&from, &length);
    if (peer < 0 || from.sin_addr.s_addr == htonl(INADDR_LOOPBACK)) exit(5);
    close(peer);
}

static void say_much(void) {
    static const char line[1000] = "it serves";
    for (int i = 0; i != 200; ++i)
        if (write(STDERR_FILENO, line, sizeof line) != sizeof line) exit(6);
}

static void serve(int port, int is_loud) {
    const int listener = listener_on(port);
    be_asked_from_elsewhere(listener);
    while (1) {
        const int peer = accept(listener, NULL, NULL);
        work();
        if (is_loud) say_much();
        if (peer >= 0) close(peer);
    }
}

static pid_t server;

static void end_with_server(int signal_number) {
    (void)signal_number;
    kill(server, SIGKILL);
    wait(NULL);
    _exit(0);
}

static void serve_in_child(int port) {
    server = fork();
    if (server < 0) exit(4); /* kill(-1) would reach every process */
    if (server == 0) serve(port, 0);
    signal(SIGTERM, end_with_server);
    while (1) pause();
}

static void serve_by_forks(int port) {
    const int listener = listener_on(port);
    while (1) {
        const int peer = accept(listener, NULL, NULL);
        if (fork() == 0) {
            for (int i = 0; i != 10; ++i) work();
            _exit(0);
        }
        wait(NULL);
        if (peer >= 0) close(peer);
    }
}

int main(int argc, char **argv) {
    const char *word = argc > 1 ? argv[1] : "work";
    const char *more = argc > 2 ? argv[2] : "";
    if (strcmp(word, "compute-and-work") == 0) compute();
    if (strcmp(word, "work") == 0 || strcmp(word, "compute-and-work") == 0) work();
    if (strcmp(word, "burst") == 0) burst(100 * 1000 * 1000);
    if (strcmp(word, "small-burst") == 0) burst(6 << 20);
    if (strcmp(word, "say") == 0) puts(more);
    if (strcmp(word, "differ") == 0) printf("%d\n", (int)getpid());
    if (strcmp(word, "fail") == 0) {
        fputs("not today\n", stderr);
        return 3;
    }
    if (strcmp(word, "crash-under") == 0) {
        const char *preload = getenv("LD_PRELOAD");
        if (preload && strstr(preload, more)) abort();
        work();
    }
    if (strcmp(word, "serve") == 0) serve(atoi(more), 0);
    if (strcmp(word, "serve-loudly") == 0) serve(atoi(more), 1);
    if (strcmp(word, "serve-in-child") == 0) serve_in_child(atoi(more));
    if (strcmp(word, "serve-by-forks") == 0) serve_by_forks(atoi(more));
    return 0;
}
