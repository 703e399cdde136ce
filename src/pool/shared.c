/* SPDX-License-Identifier: MIT */
/* The process's pool: ready without initialisation, because all of its state is constant. */
#include "pool/pool.h"

_Alignas(TOFT_POOL_MAGAZINE_BYTES) const toft_magazine toft_no_magazine;

#define TOP(size_class) TOFT_NO_MAGAZINE_TOP

toft_pool toft_pool_of_process = {
    .id = TOFT_POOL_OF_PROCESS_ID,
    .none = {.no_class = TOFT_NO_MAGAZINE_TOP,
             .top = {TOFT_EACH_CLASS(TOP)},
             .pool = &toft_pool_of_process},
    .common = {.fast = {.no_class = TOFT_NO_MAGAZINE_TOP,
                        .top = {TOFT_EACH_CLASS(TOP)},
                        .pool = &toft_pool_of_process}},
    .name = "shared",
};

_Thread_local toft_pool_cache *toft_pool_shared_cache = &toft_pool_of_process.none;
