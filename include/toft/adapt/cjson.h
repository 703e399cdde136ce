/* SPDX-License-Identifier: MIT */
/* cJSON's memory from the shared pool, or from what is current. cJSON's hooks have no context, and
 * free without sizes.
 *
 *     cJSON_Hooks hooks = TOFT_CJSON_POOL; // or TOFT_CJSON_CURRENT
 *     cJSON_InitHooks(&hooks);
 *
 * A tree that is made in a use of <toft/current.h> needs no cJSON_Delete. This header includes
 * nothing of cJSON's. */
#ifndef TOFT_ADAPT_CJSON_H
#define TOFT_ADAPT_CJSON_H

#include <toft/current.h>
#include <toft/malloc.h>

#define TOFT_CJSON_POOL {toft_malloc, toft_free}
#define TOFT_CJSON_CURRENT {toft_current_alloc, toft_current_free}

#endif
