/* SPDX-License-Identifier: MIT */
/* Compression whose state lies in a pool of its own. */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include <toft/adapt/zlib.h>

#include "run.h"

static unsigned char text[100000], packed[100000], unpacked[100000];

static bool round_trip(z_stream empty, const toft_pool *pool, bool *on_pool) {
    z_stream stream = empty;
    if (deflateInit(&stream, 6) != Z_OK) return false;
    stream.next_in = text, stream.avail_in = sizeof text;
    stream.next_out = packed, stream.avail_out = sizeof packed;
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END) return false;
    *on_pool = toft_pool_of(stream.state) == pool;
    uInt packed_bytes = (uInt)stream.total_out;
    deflateEnd(&stream);

    stream = empty;
    stream.next_in = packed, stream.avail_in = packed_bytes;
    if (inflateInit(&stream) != Z_OK) return false;
    stream.next_out = unpacked, stream.avail_out = sizeof unpacked;
    if (inflate(&stream, Z_FINISH) != Z_STREAM_END) return false;
    inflateEnd(&stream);
    return memcmp(text, unpacked, sizeof text) == 0;
}

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof text; i++) text[i] = (unsigned char)(i * i / 1000);
    toft_pool *pool = toft_pool_create(NULL);
    z_stream empty = {0};
    if (way_is(argc, argv, "pool", true))
        empty = (z_stream){.zalloc = toft_zlib_alloc, .zfree = toft_zlib_free, .opaque = pool};
    bool equal = true, on_pool = false;
    for (int i = rounds_of(argc, argv); i > 0; i--)
        equal = equal && round_trip(empty, pool, &on_pool);
    printf("on the pool: %s\n", on_pool ? "yes" : "no");
    puts(equal ? "equal" : "different");
    printf("%zu bytes live\n", toft_pool_get_stats(pool).live_bytes);
    toft_pool_destroy(pool);
}
