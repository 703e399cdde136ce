/* SPDX-License-Identifier: MIT */
/* Compression whose state lies in a pool of its own. */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include <toft/adapt/zlib.h>

#include "limited.h"
#include "run.h"

static unsigned char text[100000], packed[100000], unpacked[100000];

/* Whether what is packed and unpacked is as before. */
static bool round_trip(z_stream empty, const toft_pool *pool, bool *on_pool) {
    z_stream stream = empty;
    if (deflateInit(&stream, 6) != Z_OK) return false;
    stream.next_in = text, stream.avail_in = sizeof text;
    stream.next_out = packed, stream.avail_out = sizeof packed;
    bool done = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    *on_pool = toft_pool_of(stream.state) == pool;
    uInt packed_bytes = (uInt)stream.total_out;
    deflateEnd(&stream);
    if (!done) return false;

    stream = empty;
    stream.next_in = packed, stream.avail_in = packed_bytes;
    if (inflateInit(&stream) != Z_OK) return false;
    stream.next_out = unpacked, stream.avail_out = sizeof unpacked;
    done = inflate(&stream, Z_FINISH) == Z_STREAM_END;
    inflateEnd(&stream);
    return done && memcmp(text, unpacked, sizeof text) == 0;
}

static z_stream stream_on(toft_pool *pool) {
    return (z_stream){.zalloc = toft_zlib_alloc, .zfree = toft_zlib_free, .opaque = pool};
}

static bool succeeds(toft_pool *pool) {
    bool on_pool;
    return round_trip(stream_on(pool), pool, &on_pool);
}

int main(int argc, char **argv) {
    for (size_t i = 0; i < sizeof text; i++) text[i] = (unsigned char)(i * i / 1000);
    static const char *const ways[] = {"pool", "limited", "malloc", NULL};
    const struct choice choice = choose(argc, argv, ways);
    if (way_is(choice, "limited")) return run_limited(succeeds);
    toft_pool *pool = toft_pool_create(NULL);
    z_stream empty = {0};
    if (way_is(choice, "pool")) empty = stream_on(pool);
    bool equal = true, on_pool = false;
    for (int i = choice.rounds; i > 0; i--) equal = equal && round_trip(empty, pool, &on_pool);
    print_whether("on the pool", on_pool);
    puts(equal ? "equal" : "different");
    print_live(pool);
    toft_pool_destroy(pool);
    return equal ? 0 : 1;
}
