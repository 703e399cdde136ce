/* SPDX-License-Identifier: MIT */
/* Compression whose state lies in a pool of its own. */
#define ZSTD_STATIC_LINKING_ONLY
#include <stdio.h>
#include <string.h>
#include <zstd.h>

#include <toft/adapt/zstd.h>

#include "run.h"

static unsigned char text[100000], packed[110000], unpacked[100000];

static bool round_trip(ZSTD_customMem memory, const toft_pool *pool, bool *on_pool) {
    ZSTD_CCtx *compressor = ZSTD_createCCtx_advanced(memory);
    ZSTD_DCtx *expander = ZSTD_createDCtx_advanced(memory);
    size_t bytes = ZSTD_compressCCtx(compressor, packed, sizeof packed, text, sizeof text, 3);
    size_t all = ZSTD_decompressDCtx(expander, unpacked, sizeof unpacked, packed, bytes);
    *on_pool = toft_pool_of(compressor) == pool;
    ZSTD_freeCCtx(compressor);
    ZSTD_freeDCtx(expander);
    return all == sizeof text && memcmp(text, unpacked, all) == 0;
}

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof text; i++) text[i] = (unsigned char)(i * i / 1000);
    toft_pool *pool = toft_pool_create(NULL);
    ZSTD_customMem memory = {0};
    if (way_is(argc, argv, "pool", true))
        memory = (ZSTD_customMem){toft_zstd_alloc, toft_zstd_free, pool};
    bool equal = true, on_pool = false;
    for (int i = rounds_of(argc, argv); i > 0; i--)
        equal = equal && round_trip(memory, pool, &on_pool);
    printf("on the pool: %s\n", on_pool ? "yes" : "no");
    puts(equal ? "equal" : "different");
    printf("%zu bytes live\n", toft_pool_get_stats(pool).live_bytes);
    toft_pool_destroy(pool);
}
