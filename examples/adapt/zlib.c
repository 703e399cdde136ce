/* SPDX-License-Identifier: MIT */
/* Compression whose state lies in a pool of its own. */
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include <toft/adapt/zlib.h>

int main(void) {
    static unsigned char text[100000], packed[100000], unpacked[100000];
    for (size_t i = 0; i < sizeof text; i++) text[i] = (unsigned char)(i * i / 1000);
    toft_pool *pool = toft_pool_create(NULL);
    z_stream stream = {.zalloc = toft_zlib_alloc, .zfree = toft_zlib_free, .opaque = pool};
    if (deflateInit(&stream, 6) != Z_OK) return 1;
    stream.next_in = text, stream.avail_in = sizeof text;
    stream.next_out = packed, stream.avail_out = sizeof packed;
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END) return 1;
    printf("on the pool: %s\n", toft_pool_get_stats(pool).live_bytes > 100000 ? "yes" : "no");
    uInt packed_bytes = (uInt)stream.total_out;
    deflateEnd(&stream);

    stream = (z_stream){.zalloc = toft_zlib_alloc, .zfree = toft_zlib_free, .opaque = pool};
    stream.next_in = packed, stream.avail_in = packed_bytes;
    if (inflateInit(&stream) != Z_OK) return 1;
    stream.next_out = unpacked, stream.avail_out = sizeof unpacked;
    if (inflate(&stream, Z_FINISH) != Z_STREAM_END) return 1;
    inflateEnd(&stream);
    puts(memcmp(text, unpacked, sizeof text) == 0 ? "equal" : "different");
    printf("%zu bytes live\n", toft_pool_get_stats(pool).live_bytes);
    toft_pool_destroy(pool);
}
