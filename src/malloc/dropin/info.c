/* SPDX-License-Identifier: MIT */
/* What malloc's names tell of the heap, and what they are told. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <stdio.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/text.h"
#include "malloc/door.h"
#include "malloc/dropin/settings.h"

#define EXPORTED __attribute__((visibility("default")))

/* By which a program can tell whose malloc it has. */
EXPORTED const char *toft_malloc_version(void);
const char *toft_malloc_version(void) { return TOFT_VERSION; }

EXPORTED size_t malloc_usable_size(void *object) {
    size_t bytes = toft_pool_usable_bytes(object);
    if (bytes == 0 && object != NULL && toft_pool_of(object) == NULL)
        toft_dropin_refuse(object, "malloc_usable_size");
    return bytes;
}

EXPORTED int malloc_trim(size_t pad_bytes) {
    (void)pad_bytes;
    return toft_door_trim();
}

/* Those that glibc documents are hints about its own structures: taken, and without effect. What
   would change results, as filling memory, can't be had. */
EXPORTED int mallopt(int parameter, int value) {
    (void)value;
    switch (parameter) {
    case M_MXFAST:
    case M_TRIM_THRESHOLD:
    case M_TOP_PAD:
    case M_MMAP_THRESHOLD:
    case M_MMAP_MAX:
    case M_ARENA_TEST:
    case M_ARENA_MAX:
        return 1;
    default:
        return 0;
    }
}

/* --- statistics --- */

EXPORTED struct mallinfo2 mallinfo2(void) {
    toft_pool_stats stats = toft_pool_get_stats(toft_pool_shared());
    return (struct mallinfo2){
        .arena = stats.reserved_bytes,
        .ordblks = 1,
        .uordblks = stats.live_bytes,
        .fordblks = stats.reserved_bytes - toft_min(stats.live_bytes, stats.reserved_bytes),
        .keepcost = stats.idle_bytes,
    };
}

static int clipped(size_t n) { return n < INT_MAX ? (int)n : INT_MAX; }

/* Its fields can't hold what is beyond 2 GiB. */
EXPORTED struct mallinfo mallinfo(void) {
    struct mallinfo2 info = mallinfo2();
    return (struct mallinfo){
        .arena = clipped(info.arena),
        .ordblks = clipped(info.ordblks),
        .uordblks = clipped(info.uordblks),
        .fordblks = clipped(info.fordblks),
        .keepcost = clipped(info.keepcost),
    };
}

EXPORTED int malloc_info(int options, FILE *stream) {
    if (options != 0) {
        errno = EINVAL;
        return -1;
    }
    toft_pool_stats stats = toft_pool_get_stats(toft_pool_shared());
    fprintf(stream, "<malloc version=\"toft-%s\">\n", TOFT_VERSION);
    fprintf(stream, "<total type=\"live\" size=\"%zu\"/>\n", stats.live_bytes);
    fprintf(stream, "<total type=\"cached\" size=\"%zu\"/>\n", stats.cached_bytes);
    fprintf(stream, "<total type=\"idle\" size=\"%zu\"/>\n", stats.idle_bytes);
    fprintf(stream, "<system type=\"current\" size=\"%zu\"/>\n", stats.reserved_bytes);
    fprintf(stream, "<system type=\"max\" size=\"%zu\"/>\n", stats.high_water_bytes);
    fprintf(stream, "<caches count=\"%zu\"/>\n</malloc>\n", stats.caches);
    return 0;
}

static void add_line(toft_text *text, const char *name, size_t number) {
    toft_text_add(text, "toft-malloc[");
    toft_text_add_number(text, (size_t)getpid());
    toft_text_add(text, "]: ");
    toft_text_add(text, name);
    toft_text_add_number(text, number);
    toft_text_add(text, "\n");
}

void toft_dropin_write_statistics(int file) {
    toft_pool_stats stats = toft_pool_get_stats(toft_pool_shared());
    toft_text text = {.length = 0};
    add_line(&text, "live_bytes           ", stats.live_bytes);
    add_line(&text, "cached_bytes         ", stats.cached_bytes);
    add_line(&text, "idle_bytes           ", stats.idle_bytes);
    add_line(&text, "reserved_bytes       ", stats.reserved_bytes);
    add_line(&text, "high_water_bytes     ", stats.high_water_bytes);
    add_line(&text, "caches               ", stats.caches);
    add_line(&text, "upstream_allocations ", stats.upstream_allocations);
    add_line(&text, "upstream_frees       ", stats.upstream_frees);
    add_line(&text, "foreign_frees        ", toft_dropin_foreign_frees());
    toft_text_write(&text, file);
}

EXPORTED void malloc_stats(void) { toft_dropin_write_statistics(2); }
