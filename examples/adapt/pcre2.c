/* SPDX-License-Identifier: MIT */
/* Patterns of PCRE2 in a pool of their own. PCRE2 hands the context on last. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>

#include <toft/adapt/context.h>

#include "limited.h"
#include "run.h"

enum { patterns = 100, expected = 34 };
static const char request[] = "GET /users/4711/posts?page=222 HTTP/1.1";

/* Pattern number i, of which each third one matches the request; NULL without memory. */
static pcre2_code *compiled(pcre2_general_context *memory, int i) {
    char pattern[64];
    snprintf(pattern, sizeof pattern, "/users/(?<user>\\d+)/.*page=(2{%d}|%d) ", i % 3 + 3, i);
    int error;
    size_t offset;
    pcre2_compile_context *context = pcre2_compile_context_create(memory);
    if (context == NULL) return NULL;
    pcre2_code *code =
        pcre2_compile((PCRE2_SPTR)pattern, PCRE2_ZERO_TERMINATED, 0, &error, &offset, context);
    pcre2_compile_context_free(context);
    return code;
}

static bool matches(pcre2_general_context *memory, const pcre2_code *code) {
    pcre2_match_data *match = pcre2_match_data_create_from_pattern(code, memory);
    if (match == NULL) return false;
    bool found = pcre2_match(code, (PCRE2_SPTR)request, sizeof request - 1, 0, 0, match, NULL) > 0;
    pcre2_match_data_free(match);
    return found;
}

/* How many patterns match, all of which are there at the same time. */
static int matching(pcre2_general_context *memory, const toft_pool *pool, bool *on_pool) {
    if (memory == NULL) return 0;
    pcre2_code *codes[patterns];
    int count = 0;
    for (int i = 0; i < patterns; i++) codes[i] = compiled(memory, i);
    for (int i = 0; i < patterns; i++) count += codes[i] != NULL && matches(memory, codes[i]);
    *on_pool = toft_pool_of(codes[0]) == pool;
    for (int i = 0; i < patterns; i++) pcre2_code_free(codes[i]); /* NULL is fine */
    pcre2_general_context_free(memory);
    return count;
}

static int matching_in(toft_pool *pool, bool *on_pool) {
    return matching(
        pcre2_general_context_create(toft_context_last_alloc, toft_context_last_free, pool), pool,
        on_pool);
}

static bool succeeds(toft_pool *pool) {
    bool on_pool;
    return matching_in(pool, &on_pool) == expected;
}

int main(int argc, char **argv) {
    static const char *const ways[] = {"pool", "limited", "malloc", NULL};
    const struct choice choice = choose(argc, argv, ways);
    if (way_is(choice, "limited")) return run_limited(succeeds);
    bool in_pool = way_is(choice, "pool"), on_pool = false;
    toft_pool *pool = toft_pool_create(NULL);
    int count = 0;
    for (int i = choice.rounds; i > 0; i--)
        count = in_pool ? matching_in(pool, &on_pool)
                        : matching(pcre2_general_context_create(NULL, NULL, NULL), pool, &on_pool);
    printf("%d patterns, %d match\n", patterns, count);
    print_whether("on the pool", on_pool);
    print_live(pool);
    toft_pool_destroy(pool);
    return count == expected ? 0 : 1;
}
