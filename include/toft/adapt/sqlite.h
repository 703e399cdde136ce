/* SPDX-License-Identifier: MIT */
/* SQLite's memory from the shared pool. SQLite frees without sizes, and asks for them itself.
 *
 *     static const sqlite3_mem_methods methods = TOFT_SQLITE_METHODS;
 *     sqlite3_config(SQLITE_CONFIG_MALLOC, &methods);   // before the first use of SQLite
 *
 * This header includes nothing of SQLite's. */
#ifndef TOFT_ADAPT_SQLITE_H
#define TOFT_ADAPT_SQLITE_H

#include <limits.h>

#include <toft/pool.h>

TOFT_EXTERN_C_BEGIN

#define TOFT_SQLITE_METHODS                                                                        \
    {toft_sqlite_malloc,  toft_sqlite_free, toft_sqlite_realloc,  toft_sqlite_size,                \
     toft_sqlite_roundup, toft_sqlite_init, toft_sqlite_shutdown, NULL}

static inline void *toft_sqlite_malloc(int size) {
    return toft_pool_alloc(toft_pool_shared(), (size_t)size);
}
static inline void toft_sqlite_free(void *object) {
    toft_pool_free_any(toft_pool_shared(), object);
}
static inline void *toft_sqlite_realloc(void *object, int size) {
    return toft_pool_resize_any(toft_pool_shared(), object, (size_t)size);
}
static inline int toft_sqlite_size(void *object) {
    size_t bytes = toft_pool_usable_bytes(object);
    return bytes < INT_MAX ? (int)bytes : INT_MAX;
}
static inline int toft_sqlite_roundup(int size) {
    return size > INT_MAX - 7 ? size : (size + 7) & ~7;
}
static inline int toft_sqlite_init(void *context) {
    (void)context;
    return 0;
}
static inline void toft_sqlite_shutdown(void *context) { (void)context; }

TOFT_EXTERN_C_END

#endif
