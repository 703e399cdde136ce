// SPDX-License-Identifier: MIT
#pragma once

#include "result/row.hpp"

#include <string>

// What --filter holds rows to.
namespace toft::lab {

bool contains_ignoring_case(const std::string &text, const std::string &part);

// "suite/case/subject/allocator", with nothing last where the row isn't by allocator.
std::string path_of(const std::string &suite, const row &);

} // namespace toft::lab
