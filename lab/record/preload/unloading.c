/* SPDX-License-Identifier: MIT */
/* What takes a library away. */
#include "unloading.h"

#include "next_function.h"

#include <dlfcn.h>
#include <iconv.h>
#include <link.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED int dlclose(void *library) {
    __typeof__(&dlclose) next;
    find_next("dlclose", (void *)&next);
    const int result = next(library);
    forget_addresses();
    return result;
}

static int count_unloaded(struct dl_phdr_info *info, size_t bytes, void *count) {
    (void)bytes;
    *(unsigned long long *)count = info->dlpi_subs;
    return 1; /* each library says the same */
}

/* It unloads converters that haven't been used for a while. Most calls unload nothing, and then all
 * that is known stays: some programs call it for each string. */
EXPORTED int iconv_close(iconv_t conversion) {
    __typeof__(&iconv_close) next;
    unsigned long long before = 0, after = 0;
    find_next("iconv_close", (void *)&next);
    dl_iterate_phdr(count_unloaded, &before);
    const int result = next(conversion);
    dl_iterate_phdr(count_unloaded, &after);
    if (before != after) forget_addresses();
    return result;
}
