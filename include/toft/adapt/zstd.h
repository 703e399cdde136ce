/* SPDX-License-Identifier: MIT */
/* zstd's memory from a pool. zstd frees without sizes.
 *
 *     #define ZSTD_STATIC_LINKING_ONLY // before the first <zstd.h>
 *     #include <zstd.h>
 *
 *     ZSTD_customMem memory = {toft_zstd_alloc, toft_zstd_free, toft_pool_shared()};
 *     ZSTD_CCtx *context = ZSTD_createCCtx_advanced(memory);
 *
 * zstd promises this part of its interface to programs that are linked to a static zstd alone: in a
 * shared one it may change with each version. This header includes nothing of zstd's. */
#ifndef TOFT_ADAPT_ZSTD_H
#define TOFT_ADAPT_ZSTD_H

#include <toft/adapt/context.h>

TOFT_EXTERN_C_BEGIN

static inline void *toft_zstd_alloc(void *pool, size_t size) {
    return toft_context_alloc(pool, size);
}
static inline void toft_zstd_free(void *pool, void *object) { toft_context_free(pool, object); }

TOFT_EXTERN_C_END

#endif
