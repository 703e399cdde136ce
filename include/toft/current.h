/* SPDX-License-Identifier: MIT */
/* The strategy that a thread uses for now: for hooks of other libraries that have no context, so
 * that nobody can tell them which arena is meant.
 *
 *     toft_arena arena = TOFT_ARENA_INIT;
 *     xmlMemSetup(toft_current_free, toft_current_alloc, toft_current_resize, toft_current_strdup);
 *     xmlInitParser();                           // what libxml2 keeps for itself: outside of uses
 *     xmlCatalogSetDefaults(XML_CATA_ALLOW_NONE); // else a missing file makes a catalog in a use
 *     ...
 *     toft_current_use use = toft_current_push(toft_strategy_of_arena(&arena));
 *     xmlDoc *document = xmlReadFile(...);       // lies in the arena
 *     ...
 *     toft_current_pop(use);
 *     toft_arena_release(&arena);                // without xmlFreeDoc
 *
 * The time from a push to its pop is a use. Outside of all uses, the shared pool is current. Uses
 * nest: the innermost one counts. Each thread has uses of its own, and a new thread has none. The
 * library keeps nothing of a use but two words in thread-local variables: a thread may end within
 * one, and a forked child is in the uses of the thread that forked. A use ends on the thread that
 * it began on, before those that it lies in: so let no coroutine be suspended and no fiber be
 * changed within one. The end of another use is a misuse, which is detected where another thread or
 * another strategy has the use that ends.
 *
 * A program that doesn't use this header pays nothing for it, not even the variables of 16 bytes,
 * unless Toft is a shared library or all of its sources are compiled into the program. The words
 * are explained in docs/glossary.md. */
#ifndef TOFT_CURRENT_H
#define TOFT_CURRENT_H

#include <toft/arena.h>
#include <toft/pool.h>
#include <toft/reap.h>

TOFT_EXTERN_C_BEGIN

/* An arena, a reap or a pool, which must stay where it is in a use; between two uses, an arena or a
   reap may be moved. {0} is the shared pool. */
typedef struct toft_strategy {
    uintptr_t word; /* the address, with the kind in its lowest two bits */
} toft_strategy;

TOFT_ALWAYS_INLINE toft_strategy toft_strategy_of_arena(toft_arena *arena);
TOFT_ALWAYS_INLINE toft_strategy toft_strategy_of_reap(toft_reap *reap);
TOFT_ALWAYS_INLINE toft_strategy toft_strategy_of_pool(toft_pool *pool);

/* What toft_current_push returns, for toft_current_pop. */
typedef struct toft_current_use {
    toft_strategy strategy;
    toft_strategy before;
    const void *thread; /* which has the use: the address of a variable of its own */
} toft_current_use;

/* Begins and ends a use, in which a strategy is the calling thread's. Neither fails, takes memory
   or gives any back: what was allocated in the use lives until its strategy ends it. */
TOFT_NODISCARD TOFT_API toft_current_use toft_current_push(toft_strategy strategy);
TOFT_API void toft_current_pop(toft_current_use use);

/* The innermost use's strategy, or {0}. */
TOFT_API toft_strategy toft_current_get(void);

/* --- malloc's shape, over the current strategy --- */

/* Uninitialised memory, aligned to 16 from a size of 9 bytes on, below to 8. Size 0 gives a valid
   pointer. NULL when out of memory. An object in an arena or a reap has 16 bytes in front, which
   say whose it is; a pool's has none. An arena or reap must not lie in small objects of a pool, by
   its first buffer or its upstream: that is a misuse, which is detected. */
TOFT_NODISCARD TOFT_API void *toft_current_alloc(size_t size);
/* Any power of two as alignment; NULL for others. In an arena or a reap, an alignment beyond 16
   takes as many bytes in front. */
TOFT_NODISCARD TOFT_API void *toft_current_alloc_aligned(size_t size, size_t alignment);

/* Frees what a function here returned, or NULL. Which strategy is current then matters little:
     - A pool's object goes back to that pool.
     - An object of the arena or reap that is current goes back to it: a reap hands it out again, an
       arena does if it was its last allocation.
     - An object of any other arena or reap stays where it is, and goes with all others there.
   So a library may free what it keeps from another arena or reap, while that one has it. But no
   object may be freed or resized after its arena or reap was rewound past it, reset or released,
   in whichever use: arenas and reaps hand their memory on to each other, so that another object may
   have that address by now, which would go, or there is no memory any more. What a library keeps
   for itself must not be made in a use, or must end in it. While a tool tracks memory, such a free
   is reported. */
TOFT_API void toft_current_free(void *object);

/* An object of the new size with the old contents, where the old object lies: in its pool, arena or
   reap, whichever strategy is current. NULL when out of memory, and the old object is then as it
   was. NULL as object means an allocation; size 0 frees the object and returns NULL, as glibc's
   realloc does. An object of an arena or reap may be resized by that one's thread alone. */
TOFT_NODISCARD TOFT_API void *toft_current_resize(void *object, size_t new_size);

/* An array of count elements, all bytes zero; and a copy of a string, which must not be NULL. Where
   a library hands its hook NULL, as flecs does, test for that in a function of your own. */
TOFT_NODISCARD TOFT_API void *toft_current_calloc(size_t count, size_t size);
TOFT_NODISCARD TOFT_API char *toft_current_strdup(const char *string);

/* --- a strategy whose kind isn't known when the program is compiled --- */

/* As toft_arena_alloc, toft_reap_alloc or toft_pool_alloc_aligned; and the free that belongs to it,
   for an arena toft_arena_free_last. No object has anything in front. */
TOFT_NODISCARD TOFT_API void *toft_strategy_alloc(toft_strategy strategy, size_t size,
                                                  size_t alignment);
TOFT_API void toft_strategy_free(toft_strategy strategy, void *object, size_t size,
                                 size_t alignment);

TOFT_EXTERN_C_END

#include <toft/detail/current.h>

#endif
