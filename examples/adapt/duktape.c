/* SPDX-License-Identifier: MIT */
/* A duktape program on a pool of its own, or on a reap that goes at once. */
#include <duktape.h>
#include <stdio.h>

#include <toft/adapt/context.h>

#include "run.h"

static const char program[] = "var t = [], n = 0, i;\n"
                              "for (i = 0; i < 20000; i++) t.push({ number: i, text: '' + i });\n"
                              "for (i = 0; i < 20000; i += 2) t[i] = null;\n"
                              "for (i = 1; i < 20000; i += 2) n += t[i].text.length;\n"
                              "n";
static const long long expected = 44445;

static long long run(duk_context *context) {
    if (context == NULL) return -1;
    return duk_peval_string(context, program) == 0 ? (long long)duk_get_number(context, -1) : -2;
}

static long long run_and_destroy(duk_context *context) {
    long long sum = run(context);
    duk_destroy_heap(context); /* NULL is fine */
    return sum;
}

static long long run_on_pool(toft_pool *pool) {
    return run_and_destroy(
        duk_create_heap(toft_context_alloc, toft_context_resize, toft_context_free, pool, NULL));
}

static long long run_in_reap(size_t *reap_bytes) {
    toft_reap reap = TOFT_REAP_INIT;
    long long sum = run(duk_create_heap(toft_context_alloc_in_reap, toft_context_resize_in_reap,
                                        toft_context_free_in_reap, &reap, NULL));
    *reap_bytes = toft_reap_get_stats(&reap).high_water_bytes;
    toft_reap_release(&reap); /* without duk_destroy_heap */
    return sum;
}

int main(int argc, char **argv) {
    static const char *const ways[] = {"pool", "reap", "malloc", NULL};
    const struct choice choice = choose(argc, argv, ways);
    bool on_pool = way_is(choice, "pool"), in_reap = way_is(choice, "reap");
    toft_pool *pool = toft_pool_create(NULL);
    long long sum = 0;
    size_t reap_bytes = 0;
    for (int i = choice.rounds; i > 0; i--)
        sum = on_pool   ? run_on_pool(pool)
              : in_reap ? run_in_reap(&reap_bytes)
                        : run_and_destroy(duk_create_heap_default());
    printf("%lld\n", sum);
    print_whether("on the pool", toft_pool_get_stats(pool).high_water_bytes > 0);
    print_whether("in a reap", reap_bytes > 0);
    print_live(pool);
    toft_pool_destroy(pool);
    return sum == expected ? 0 : 1;
}
