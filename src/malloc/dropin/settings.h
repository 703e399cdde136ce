/* SPDX-License-Identifier: MIT */
/* What the environment sets of the drop-in; libtoft-malloc(7) documents it. */
#ifndef TOFT_MALLOC_DROPIN_SETTINGS_H
#define TOFT_MALLOC_DROPIN_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The program has replaced no form of operator new and delete, and nobody asked for caution, as who
   wants foreign pointers to be found does: each form may do its work by itself, and rely on the
   sizes that it is given. False until the library's constructor has looked. */
extern bool toft_dropin_has_operators;

/* dlopen passes RTLD_DEEPBIND on. */
extern bool toft_dropin_keeps_deepbind;

/* How many pointers free was given that were no objects of ours. */
size_t toft_dropin_foreign_frees(void);

/* Tells of a pointer that is no object of ours, and aborts, where the environment asks for that. */
void toft_dropin_refuse(void *object, const char *call);

void toft_dropin_write_statistics(int file);

#ifdef __cplusplus
}
#endif

#endif
