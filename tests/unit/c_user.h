/* SPDX-License-Identifier: MIT */
/* A second translation unit that uses the headers, in C. */
#ifndef TOFT_TESTS_UNIT_C_USER_H
#define TOFT_TESTS_UNIT_C_USER_H

#include <toft/toft.h>

TOFT_EXTERN_C_BEGIN

int *c_user_count_to(toft_arena *arena, int n);
char *c_user_join(toft_arena *arena, const char *first, const char *second);
bool c_user_evaluates_once(toft_arena *arena);
bool c_user_initialised_arena_works(void);
bool c_user_has_version_of_headers(void);
/* Makes objects by type, frees all of them, and says whether they were as they should be. */
bool c_user_makes_by_type_in_reap(toft_reap *reap);
bool c_user_makes_by_type_in_pool(toft_pool *pool);
bool c_user_makes_arrays_in_pool(toft_pool *pool);

TOFT_EXTERN_C_END

#endif
