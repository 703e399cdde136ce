/* SPDX-License-Identifier: MIT */
/* zstd's memory from a pool. zstd frees without sizes.
 *
 *     ZSTD_customMem memory = {toft_zstd_alloc, toft_zstd_free, toft_pool_shared()};
 *     ZSTD_CCtx *context = ZSTD_createCCtx_advanced(memory);
 *
 * This header includes nothing of zstd's. */
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
