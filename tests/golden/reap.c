/* SPDX-License-Identifier: MIT */
/* The reap's inlined calls, whose instructions are counted: see instructions.sh. */
#include <toft/reap.h>

void *reap_alloc_8(toft_reap *reap) { return toft_reap_alloc(reap, 8, 8); }
void *reap_alloc_24(toft_reap *reap) { return toft_reap_alloc(reap, 24, 8); }
void *reap_alloc_1000(toft_reap *reap) { return toft_reap_alloc(reap, 1000, 8); }
void *reap_alloc_64_aligned_64(toft_reap *reap) { return toft_reap_alloc(reap, 64, 64); }
void reap_free_24(toft_reap *reap, void *object) { toft_reap_free(reap, object, 24, 8); }
void reap_free_1000(toft_reap *reap, void *object) { toft_reap_free(reap, object, 1000, 8); }
void reap_free_64_aligned_64(toft_reap *reap, void *object) {
    toft_reap_free(reap, object, 64, 64);
}
void *reap_of_any_size(toft_reap *reap, size_t size) { return toft_reap_alloc(reap, size, 8); }
