/* SPDX-License-Identifier: MIT */
/* Patterns of PCRE2 in a pool of their own. PCRE2 hands the context on last. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#include <stdio.h>

#include <toft/adapt/context.h>

#include "run.h"

enum { patterns = 100 };
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
    pcre2_code *codes[patterns];
    int count = 0;
    for (int i = 0; i < patterns; i++) codes[i] = compiled(memory, i);
    for (int i = 0; i < patterns; i++) count += codes[i] != NULL && matches(memory, codes[i]);
    *on_pool = toft_pool_of(codes[0]) == pool;
    for (int i = 0; i < patterns; i++) pcre2_code_free(codes[i]); /* NULL is fine */
    pcre2_general_context_free(memory);
    return count;
}

int main(int argc, char **argv) {
    bool in_pool = way_is(argc, argv, "pool", true), on_pool = false;
    toft_pool *pool = toft_pool_create(NULL);
    int count = 0;
    for (int i = rounds_of(argc, argv); i > 0; i--)
        count = matching(in_pool ? pcre2_general_context_create(toft_context_last_alloc,
                                                                toft_context_last_free, pool)
                                 : pcre2_general_context_create(NULL, NULL, NULL),
                         pool, &on_pool);
    printf("%d patterns, %d match\n", patterns, count);
    printf("on the pool: %s\n", on_pool ? "yes" : "no");
    printf("%zu bytes live\n", toft_pool_get_stats(pool).live_bytes);
    toft_pool_destroy(pool);
}
