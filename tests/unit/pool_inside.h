/* SPDX-License-Identifier: MIT */
/* What only the library's own C can see of a pool. */
#ifndef TOFT_TESTS_UNIT_POOL_INSIDE_H
#define TOFT_TESTS_UNIT_POOL_INSIDE_H

#include <toft/pool.h>

TOFT_EXTERN_C_BEGIN

/* The cache that is looked at first when one is looked for. */
const toft_pool_cache *toft_test_first_cache(const toft_pool *pool);

TOFT_EXTERN_C_END

#endif
