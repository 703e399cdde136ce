/* SPDX-License-Identifier: MIT */
/* Checks of what must always be true inside the library. They stand on both sides of the slow
 * paths, in builds without NDEBUG and in builds with TOFT_CHECKS=1. Other builds contain none of
 * them. A broken rule of the interface isn't a matter for them: see base/misuse.h. */
#ifndef TOFT_BASE_CHECK_H
#define TOFT_BASE_CHECK_H

#include <toft/config.h>

#if !defined(TOFT_CHECKS)
    #if defined(NDEBUG)
        #define TOFT_CHECKS 0
    #else
        #define TOFT_CHECKS 1
    #endif
#endif

#if TOFT_CHECKS
    #define TOFT_ASSERT(condition)                                                                 \
        (TOFT_LIKELY(condition) ? (void)0 : toft_check_failed(#condition, __FILE__, __LINE__))
#else
    /* Compiled, so that it stays correct, and never evaluated. */
    #define TOFT_ASSERT(condition) ((void)(0 && (condition)))
#endif

/* Prints one line that says what isn't true, and aborts. Like toft_misuse, it allocates nothing and
   takes no lock: any locks may be held. */
#if defined(__GNUC__) || defined(__clang__)
__attribute__((noreturn))
#endif
TOFT_COLD void
toft_check_failed(const char *condition, const char *file, int line);

#endif
