/* SPDX-License-Identifier: MIT */
/* A parser's memory from the shared pool, or from what is current. expat's hooks have no context,
 * and free without sizes.
 *
 *     static const XML_Memory_Handling_Suite memory = TOFT_EXPAT_POOL; // or TOFT_EXPAT_CURRENT
 *     XML_Parser parser = XML_ParserCreate_MM(NULL, &memory, NULL);
 *
 * A parser that is made in a use of <toft/current.h> is worked with in uses of the same strategy
 * only, and needs no XML_ParserFree. This header includes nothing of expat's. */
#ifndef TOFT_ADAPT_EXPAT_H
#define TOFT_ADAPT_EXPAT_H

#include <toft/current.h>
#include <toft/malloc.h>

#define TOFT_EXPAT_POOL {toft_malloc, toft_realloc, toft_free}
#define TOFT_EXPAT_CURRENT {toft_current_alloc, toft_current_resize, toft_current_free}

#endif
