/* SPDX-License-Identifier: MIT */
/* libxml2's memory from the shared pool, or from what is current. libxml2 has no context for its
 * hooks, and frees without sizes.
 *
 *     xmlMemSetup(TOFT_LIBXML2_POOL);    // before anything else of libxml2
 *     xmlMemSetup(TOFT_LIBXML2_CURRENT); // or this
 *     xmlInitParser();                   // and then these, outside of all uses
 *     xmlCatalogSetDefaults(XML_CATA_ALLOW_NONE); // of <libxml/catalog.h>
 *
 * A document that is read in a use of <toft/current.h> needs no xmlFreeDoc. What libxml2 keeps for
 * itself must not be made in a use:
 *   - xmlInitParser makes what every parser needs.
 *   - The catalog is made when a file is missing or a DTD is loaded, and grows with what is looked
 *     up. So no catalog may be used in a use, and xmlCatalogSetDefaults switches it off.
 *   - Types of schemas are made when the first schema is read. A program that reads any calls
 *     xmlSchemaInitTypes() or xmlRelaxNGInitTypes() after xmlInitParser.
 *   - The last error is ended by xmlResetLastError() at the end of the use.
 * This header includes nothing of libxml2's. */
#ifndef TOFT_ADAPT_LIBXML2_H
#define TOFT_ADAPT_LIBXML2_H

#include <toft/current.h>
#include <toft/malloc.h>

#define TOFT_LIBXML2_POOL toft_free, toft_malloc, toft_realloc, toft_strdup
#define TOFT_LIBXML2_CURRENT                                                                       \
    toft_current_free, toft_current_alloc, toft_current_resize, toft_current_strdup

#endif
