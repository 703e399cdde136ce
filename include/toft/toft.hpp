// SPDX-License-Identifier: MIT
// All of Toft for C++.
#ifndef TOFT_TOFT_HPP
#define TOFT_TOFT_HPP

#include <toft/allocator.hpp>
#include <toft/arena.hpp>

#endif
