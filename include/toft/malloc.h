/* SPDX-License-Identifier: MIT */
/* malloc's own shape over the process's shared pool, under names of its own: for hooks that take
 * functions like malloc and free, and for programs that choose where they use Toft. To replace
 * malloc itself, without a change to the program, preload or link libtoft-malloc: see
 * libtoft-malloc(7).
 *
 *     char *line = toft_malloc(100);
 *     line = toft_realloc(line, 1000);
 *     toft_free(line);
 *
 * Objects are those of toft_pool_shared: what one of these functions returned, toft_pool_free_any
 * frees, and the other way round. toft_pool_free, which trusts the size, is not for them: the first
 * objects of a size have slots of a larger one, so that a few sizes cost few pages.
 * Threads: as for the pool. Failure: NULL, and errno is ENOMEM, or EINVAL for an alignment that is
 * no power of two. Success leaves errno alone.
 * Cost: 13 instructions for toft_malloc up to 1024 bytes, and 18 or 19 for toft_free. */
#ifndef TOFT_MALLOC_H
#define TOFT_MALLOC_H

#include <toft/pool.h>

TOFT_EXTERN_C_BEGIN

/* Uninitialised memory, aligned to 16 from a size of 9 bytes on, below to 8. Size 0 gives a valid
   pointer. */
TOFT_NODISCARD TOFT_API void *toft_malloc(size_t size);

/* Frees what any function here returned. NULL is fine. Any other pointer is a misuse. It is always
   detected, and ends the program, unless it points into memory of small objects, or is no address
   of 48 bits. A pointer of more bits, such as a tagged one, is undefined behaviour: the free reads
   at an address made of it, and the pointer may be handed out again. */
TOFT_API void toft_free(void *object);

/* The same, for those who know what they asked for. The size isn't needed, and isn't looked at: an
   object that toft_realloc made smaller may have stayed in a larger slot. */
TOFT_API void toft_free_sized(void *object, size_t size);
TOFT_API void toft_free_aligned_sized(void *object, size_t alignment, size_t size);

/* An array of count elements, all bytes zero. */
TOFT_NODISCARD TOFT_API void *toft_calloc(size_t count, size_t size);

/* An object of the new size with the old contents; where it is NULL, the old object is as it was. A
   size of 0 frees the object and returns NULL, as glibc's realloc does; but toft_realloc(NULL, 0)
   is toft_malloc(0). */
TOFT_NODISCARD TOFT_API void *toft_realloc(void *object, size_t size);

/* A copy of a string, which must not be NULL. Where a library hands its hook NULL, as flecs does,
   test for that in a function of your own. */
TOFT_NODISCARD TOFT_API char *toft_strdup(const char *string);

/* Any power of two as alignment; the size needn't be a multiple of it. */
TOFT_NODISCARD TOFT_API void *toft_aligned_alloc(size_t alignment, size_t size);

/* How many bytes at an object may be used; 0 for NULL, and for what is no object of a pool. */
TOFT_API size_t toft_malloc_usable_size(const void *object);

/* Gives idle memory of all threads back to the system, as toft_pool_trim; what pad_bytes asks to be
   kept is not needed for speed, and is ignored. Returns 1 if there was any, else 0. */
TOFT_API int toft_malloc_trim(size_t pad_bytes);

TOFT_EXTERN_C_END

#endif
