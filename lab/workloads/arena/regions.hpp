// SPDX-License-Identifier: MIT
#pragma once

#include "region_loops.h"

// The allocators of the suite `arena` that are part of the command; peers are modules.
namespace toft::lab {

extern const toft_region_loops raw_loops;            // bulk on huge pages, short on a static buffer
extern const toft_region_loops raw_small_page_loops; // bulk only, on 4 KiB pages
extern const toft_region_loops raw_register_loops;   // as raw_loops, the pointer in a register
extern const toft_region_loops toft_loops;
extern const toft_region_loops malloc_loops;
extern const toft_region_loops pmr_loops;
extern const toft_region_loops pmr_buffer_loops;
extern const toft_region_loops pmr_huge_buffer_loops;
extern const toft_region_loops obstack_loops;

} // namespace toft::lab
