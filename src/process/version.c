/* SPDX-License-Identifier: MIT */
#include <toft/process.h>

const char *toft_version(void) { return TOFT_VERSION; }
