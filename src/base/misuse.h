/* SPDX-License-Identifier: MIT */
/* What happens when a program breaks a rule of the interface: one line that says which, then abort.
 */
#ifndef TOFT_BASE_MISUSE_H
#define TOFT_BASE_MISUSE_H

#include <toft/config.h>

#if defined(__GNUC__) || defined(__clang__)
__attribute__((noreturn))
#endif
TOFT_COLD void
toft_misuse(const void *subject, const char *message);

#endif
