// SPDX-License-Identifier: MIT
// All of Toft for C++.
#ifndef TOFT_TOFT_HPP
#define TOFT_TOFT_HPP

#include <toft/allocator.hpp>
#include <toft/arena.hpp>
#include <toft/containers.hpp>
#include <toft/current.hpp>
#include <toft/current_new.hpp>
#include <toft/malloc.h>
#include <toft/pool.hpp>
#include <toft/pooled.hpp>
#include <toft/reap.hpp>
#include <toft/region_vector.hpp>
#if __has_include(<memory_resource>) // libc++ before 16 has none
    #include <toft/resource.hpp>
#endif
#include <toft/unique_ptr.hpp>

#endif
