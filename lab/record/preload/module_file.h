/* SPDX-License-Identifier: MIT */
#ifndef TOFT_LAB_RECORD_MODULE_FILE_H
#define TOFT_LAB_RECORD_MODULE_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The file in which an address lies, as the loader has mapped it. Takes no lock and calls no
 * malloc. */

enum { build_id_most = 64 };

struct module_file {
    uintptr_t begin, end;
    uintptr_t bias; /* an address less this is one in the module's file */
    const void *build_id;
    size_t build_id_bytes; /* 0: it has none */
    const char *path;      /* absolute; what was given as room, or the loader's own */
};

/* False: the address lies in no file. */
bool find_module_file(uintptr_t address, struct module_file *, char room[static 2 * PATH_MAX]);

#endif
