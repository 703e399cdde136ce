// SPDX-License-Identifier: MIT
// Where libiberty isn't installed.
#include "rust_names.hpp"

namespace toft::lab {

std::string rust_name(const char *) { return {}; }

} // namespace toft::lab
