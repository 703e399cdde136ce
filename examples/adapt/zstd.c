/* SPDX-License-Identifier: MIT */
/* Compression whose state lies in a pool of its own. */
#define ZSTD_STATIC_LINKING_ONLY
#include <stdio.h>
#include <string.h>
#include <zstd.h>

#include <toft/adapt/zstd.h>

#include "limited.h"
#include "run.h"

static unsigned char text[100000], packed[110000], unpacked[100000];

static bool round_trip(ZSTD_customMem memory, const toft_pool *pool, bool *on_pool) {
    ZSTD_CCtx *compressor = ZSTD_createCCtx_advanced(memory);
    ZSTD_DCtx *expander = ZSTD_createDCtx_advanced(memory);
    bool equal = false;
    if (compressor != NULL && expander != NULL) {
        size_t bytes = ZSTD_compressCCtx(compressor, packed, sizeof packed, text, sizeof text, 3);
        if (!ZSTD_isError(bytes)) {
            bytes = ZSTD_decompressDCtx(expander, unpacked, sizeof unpacked, packed, bytes);
            equal = bytes == sizeof text && memcmp(text, unpacked, bytes) == 0;
        }
    }
    *on_pool = toft_pool_of(compressor) == pool;
    ZSTD_freeCCtx(compressor); /* NULL is fine */
    ZSTD_freeDCtx(expander);
    return equal;
}

static ZSTD_customMem memory_of(toft_pool *pool) {
    return (ZSTD_customMem){toft_zstd_alloc, toft_zstd_free, pool};
}

static bool succeeds(toft_pool *pool) {
    bool on_pool;
    return round_trip(memory_of(pool), pool, &on_pool);
}

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof text; i++) text[i] = (unsigned char)(i * i / 1000);
    static const char *const ways[] = {"pool", "limited", "malloc", NULL};
    const struct choice choice = choose(argc, argv, ways);
    if (way_is(choice, "limited")) return run_limited(succeeds);
    toft_pool *pool = toft_pool_create(NULL);
    ZSTD_customMem memory = {0};
    if (way_is(choice, "pool")) memory = memory_of(pool);
    bool equal = true, on_pool = false;
    for (int i = choice.rounds; i > 0; i--) equal = equal && round_trip(memory, pool, &on_pool);
    print_whether("on the pool", on_pool);
    puts(equal ? "equal" : "different");
    print_live(pool);
    toft_pool_destroy(pool);
    return equal ? 0 : 1;
}
