/* SPDX-License-Identifier: MIT */
/* A heap that brings C++'s operators, as tcmalloc, jemalloc and mimalloc do: they don't call
 * malloc. */
#include <stddef.h>

void *__libc_malloc(size_t);
void __libc_free(void *);
void *_Znwm(size_t);
void _ZdlPv(void *);

void *malloc(size_t bytes) { return __libc_malloc(bytes); }
void free(void *p) { __libc_free(p); }
void *_Znwm(size_t bytes) { return __libc_malloc(bytes); }
void _ZdlPv(void *p) { __libc_free(p); }
