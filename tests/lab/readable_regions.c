/* SPDX-License-Identifier: MIT */
/* Regions end while the process has as many mappings as it may: the system calls say so here. */
#include "verify/preload/plan_file.h"
#include "verify/preload/regions.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct toft_verify_plan all;
struct toft_verify_plan *plan = &all;
static bool maps_nothing, protects_nothing;

/* The C library's names, which regions.c calls. */
void *mmap(void *at, size_t bytes, int protection, int flags, int file, off_t offset) {
    if (!maps_nothing) return (void *)syscall(SYS_mmap, at, bytes, protection, flags, file, offset);
    errno = ENOMEM;
    return MAP_FAILED;
}
int mprotect(void *at, size_t bytes, int protection) {
    if (!protects_nothing) return (int)syscall(SYS_mprotect, at, bytes, protection);
    errno = ENOMEM;
    return -1;
}

/* The system reads a byte of it. */
static bool is_readable(const void *object) {
    int ends[2];
    if (pipe(ends) != 0) return true;
    const bool read = write(ends[1], object, 1) == 1;
    close(ends[0]);
    close(ends[1]);
    return read;
}

static bool ends_as(const char *when, bool stays_readable) {
    const uint64_t before = all.ended_readable;
    const uint32_t region = begin_region((struct region){0});
    void *object = place_in_region(region, 100, 16, 0);
    if (!object || !is_readable(object)) return false;
    maps_nothing = true;
    protects_nothing = stays_readable;
    end_region(region, 0, false);
    maps_nothing = protects_nothing = false;
    if (is_readable(object) == stays_readable && all.ended_readable - before == stays_readable)
        return true;
    printf("%s: the object is%s readable, and %llu such ends were counted\n", when,
           is_readable(object) ? "" : "n't", (unsigned long long)(all.ended_readable - before));
    return false;
}

int main(void) {
    if (!prepare_regions()) return 3;
    const bool protected = ends_as("without a new mapping", false);
    const bool counted = ends_as("without a mapping or a protection", true);
    return protected && counted ? 0 : 1;
}
