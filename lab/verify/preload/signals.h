/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_VERIFY_SIGNALS_H
#define TOFT_LAB_VERIFY_SIGNALS_H

#include <stdbool.h>

/* Installs the handler of SIGSEGV. What the program installs for that signal later is kept for the
 * faults that are the program's own; and nobody can block it. */
bool catch_faults(void);

#endif
