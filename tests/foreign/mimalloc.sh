#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# mimalloc's stress test, and what its tests of its interface say of malloc's names, with libtoft-malloc preloaded:
#   mimalloc.sh TOFT_DIRECTORY MIMALLOC_DIRECTORY RESULTS_DIRECTORY
set -euo pipefail
toft=$1 mimalloc=$2 results=$3
. "$toft/tests/foreign/judge.sh"
rm -rf "$results"
mkdir -p "$results/include"
library=$toft/build/release/lib/libtoft-malloc.so
flags=(-std=gnu11 -O2 -fno-builtin -w -pthread -D_GNU_SOURCE)

# mimalloc's names are malloc's here. A heap of its own is malloc's too: an object of it is not known as
# such, and one at an offset from an alignment can't be had.
cat >"$results/include/mimalloc.h" <<'HEADER'
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define MI_ALIGNMENT_MAX ((size_t)1 << 20)
#define mi_malloc malloc
#define mi_calloc calloc
#define mi_realloc realloc
#define mi_reallocarray reallocarray
#define mi_free free
#define mi_usable_size malloc_usable_size
#define mi_posix_memalign posix_memalign
#define mi_memalign memalign
#define mi_realpath realpath
#define mi_malloc_aligned(size, alignment) memalign(alignment, size)
#define mi_malloc_aligned_at(size, alignment, offset) ((void *)0)
static void *mi_zalloc_aligned(size_t size, size_t alignment) {
    void *object = memalign(alignment, size);
    return object == NULL ? NULL : memset(object, 0, size);
}
typedef int mi_heap_t;
static mi_heap_t the_heap;
#define mi_heap_new() (&the_heap)
#define mi_heap_delete(heap) ((void)(heap))
#define mi_heap_destroy(heap) ((void)(heap))
#define mi_heap_malloc_tp(heap, type) ((type *)malloc(sizeof(type)))
#define mi_heap_malloc_aligned(heap, size, alignment) memalign(alignment, size)
#define mi_heap_contains_block(heap, object) 0
#define mi_option_disable(option) ((void)0)
HEADER
: >"$results/include/mimalloc-types.h"

cc "${flags[@]}" -I "$results/include" -I "$mimalloc/test" "$mimalloc/test/test-api.c" -o "$results/test-api"
cc "${flags[@]}" -DUSE_STD_MALLOC "$mimalloc/test/test-stress.c" -o "$results/test-stress"
(cd "$results" && LD_PRELOAD=$library timeout 600 ./test-api) >"$results/test-api.log" 2>&1 || true
sed -n 's/^test: \(.*\)\.\.\. .*ok\.$/pass\tpreloaded\t\1/p; s/^ *FAILED: \(.*\): .*/fails\tpreloaded\t\1/p' \
    "$results/test-api.log" >"$results/results"
grep -q '^succeeded' "$results/test-api.log" || printf 'ends early\tpreloaded\ttest-api\n' >>"$results/results"
for arguments in '4 25 20' '32 10 10' '1 100 5'; do
    verdict=pass
    # shellcheck disable=SC2086
    LD_PRELOAD=$library timeout 3000 "$results/test-stress" $arguments >"$results/stress.log" 2>&1 || verdict=fails
    printf '%s\tpreloaded\ttest-stress %s\n' "$verdict" "$arguments" >>"$results/results"
done
judge "$toft/tests/foreign/mimalloc-exceptions.txt" "$results/results"
