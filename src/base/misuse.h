/* SPDX-License-Identifier: MIT */
/* What happens when a program breaks a rule of the interface: one line that says which, then abort.
 * It allocates nothing and takes no lock: it may be malloc that found out. */
#ifndef TOFT_BASE_MISUSE_H
#define TOFT_BASE_MISUSE_H

#include <toft/config.h>

#if defined(__GNUC__) || defined(__clang__)
    #define TOFT_NEVER_RETURNS __attribute__((noreturn))
#else
    #define TOFT_NEVER_RETURNS
#endif

TOFT_NEVER_RETURNS TOFT_COLD void toft_misuse(const void *subject, const char *message);
/* The same with the name of a pool. */
TOFT_NEVER_RETURNS TOFT_COLD void toft_misuse_of_pool(const char *pool, const void *subject,
                                                      const char *message);

#endif
