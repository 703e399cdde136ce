/* SPDX-License-Identifier: MIT */
/* zlib's memory from a pool. zlib frees without sizes.
 *
 *     z_stream stream = {.zalloc = toft_zlib_alloc, .zfree = toft_zlib_free,
 *                        .opaque = toft_pool_shared()};
 *
 * This header includes nothing of zlib's. */
#ifndef TOFT_ADAPT_ZLIB_H
#define TOFT_ADAPT_ZLIB_H

#include <toft/adapt/context.h>

TOFT_EXTERN_C_BEGIN

static inline void *toft_zlib_alloc(void *pool, unsigned count, unsigned size) {
    if (size != 0 && count > SIZE_MAX / size) return NULL;
    return toft_context_alloc(pool, (size_t)count * size);
}
static inline void toft_zlib_free(void *pool, void *object) { toft_context_free(pool, object); }

TOFT_EXTERN_C_END

#endif
