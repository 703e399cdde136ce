// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace toft::lab {

// A path for LD_PRELOAD that leads to the library. The loader takes blanks and colons for the ends
// of a path, so a library with one in its path gets a link in a folder of this process's own, which
// goes when the process ends. Throws std::system_error when the link can't be made.
std::string preload_path(const std::string &library);

} // namespace toft::lab
