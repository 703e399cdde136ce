/* SPDX-License-Identifier: MIT */
/* A program that misuses malloc in the way that it is told, and ends well where nobody stops it. */
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Through pointers that the compiler can't see through: it knows what malloc and free do. */
static void *(*volatile do_malloc)(size_t) = malloc;
static void (*volatile do_free)(void *) = free;
static void *(*volatile do_realloc)(void *, size_t) = realloc;
static size_t (*volatile usable)(void *) = malloc_usable_size;

enum { large_bytes = 200000, huge_bytes = 3 << 20, small_bytes = 40 };
static char never_allocated[64];

/* Others of their size are freed before and after. */
static void free_twice_of_many(size_t alignment, size_t size) {
    enum { count = 1000 };
    static void *objects[count];
    for (size_t i = 0; i < count; i++) objects[i] = aligned_alloc(alignment, size);
    for (size_t i = 0; i < count; i += 2) do_free(objects[i]);
    do_free(objects[count / 2]);
}

static void *free_one(void *object) {
    do_free(object);
    return NULL;
}

/* Each thread has a cache of its own, as a rule. */
static void free_twice_in_thread(void) {
    void *kept = do_malloc(small_bytes), *object = do_malloc(small_bytes);
    do_free(object);
    pthread_t thread;
    if (pthread_create(&thread, NULL, free_one, object) == 0) pthread_join(thread, NULL);
    do_free(kept);
}

static int misuse(const char *how) {
    char *kept = do_malloc(small_bytes); /* so that memory of its size stays */
    char *small = do_malloc(small_bytes), *large = do_malloc(large_bytes);
    char *huge = do_malloc(huge_bytes);
    if (strcmp(how, "static") == 0)
        do_free(never_allocated + 16);
    else if (strcmp(how, "static-realloc") == 0)
        do_realloc(never_allocated + 16, 100);
    else if (strcmp(how, "static-usable") == 0)
        usable(never_allocated + 16);
    else if (strcmp(how, "inside-large") == 0)
        do_free(large + 16);
    else if (strcmp(how, "inside-huge") == 0)
        do_realloc(huge + 1234567, 100);
    else if (strcmp(how, "large-twice") == 0)
        do_free(large), do_free(large);
    else if (strcmp(how, "inside-small") == 0)
        do_free(small + 16);
    else if (strcmp(how, "inside-small-odd") == 0)
        do_free(small + 1);
    else if (strcmp(how, "small-twice") == 0)
        do_free(small), do_free(small);
    else if (strcmp(how, "small-twice-realloc") == 0)
        do_free(small), do_realloc(small, large_bytes);
    else if (strcmp(how, "aligned-twice") == 0)
        free_twice_of_many(4096, 9000);
    else if (strcmp(how, "many-twice") == 0)
        free_twice_of_many(16, 64);
    else if (strcmp(how, "thread-twice") == 0)
        free_twice_in_thread();
    else
        return 2;
    do_free(kept);
    return 0;
}

int main(int count, char **arguments) {
    int status = count == 2 ? misuse(arguments[1]) : 2;
    puts("end");
    return status;
}
