// SPDX-License-Identifier: MIT
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace toft::lab {

// The manual page toft(1), in the roff of the man macros.
std::string man_page_of(const CLI::App &);

} // namespace toft::lab
