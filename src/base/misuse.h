/* SPDX-License-Identifier: MIT */
/* What happens when a program breaks a rule of the interface: one line that says which, then abort.
 * It allocates nothing and takes no lock: it may be malloc that found out. */
#ifndef TOFT_BASE_MISUSE_H
#define TOFT_BASE_MISUSE_H

#include <stdbool.h>
#include <stddef.h>

#include <toft/config.h>

#if defined(__GNUC__) || defined(__clang__)
    #define TOFT_NEVER_RETURNS __attribute__((noreturn))
#else
    #define TOFT_NEVER_RETURNS
#endif

/* Where an address lies: so far behind the beginning of an object, or of a slot for one, of so many
   bytes. 0 bytes: that isn't known. */
typedef struct toft_place {
    size_t offset_bytes, bytes;
    bool is_slot;
} toft_place;

/* The size and alignment that a free named, where one of them is wrong; and what is known of them.
   Where it is the size class alone, the bytes are the most that it has room for. */
typedef enum toft_named {
    TOFT_NAMED_RIGHT,
    TOFT_NAMED_CLASS,
    TOFT_NAMED_SIZE,
    TOFT_NAMED_BOTH
} toft_named;
typedef struct toft_freed_as {
    toft_named named;
    size_t bytes, alignment;
} toft_freed_as;

/* What is known of a broken rule. */
typedef struct toft_misused {
    const void *subject;
    const char *message; /* what is true of it */
    const char *pool;    /* its name, or NULL */
    const char *call;    /* the function that the program called with the subject, or NULL */
    toft_freed_as freed_as;
    toft_place place; /* the subject's */
} toft_misused;

/* Says that the message is true of the subject, and aborts. */
TOFT_NEVER_RETURNS TOFT_COLD void toft_misuse(const void *subject, const char *message);

/* The same, with whatever else is known. */
TOFT_NEVER_RETURNS TOFT_COLD void toft_misuse_of(const toft_misused *misused);

/* An object of so many bytes was freed as another; 0 where nobody knows how many. */
TOFT_NEVER_RETURNS TOFT_COLD void toft_misuse_of_size(const void *subject, const char *message,
                                                      toft_freed_as freed_as,
                                                      size_t allocated_bytes);

#endif
