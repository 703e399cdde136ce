/* SPDX-License-Identifier: MIT */
/* All of Toft for C. */
#ifndef TOFT_TOFT_H
#define TOFT_TOFT_H

#include <toft/arena.h>
#include <toft/current.h>
#include <toft/malloc.h>
#include <toft/pool.h>
#include <toft/process.h>
#include <toft/reap.h>

#endif
