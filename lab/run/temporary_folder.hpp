// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace toft::lab {

// A pattern for mkstemp or mkdtemp, in the folder for temporary files. Throws std::system_error
// when there is no such folder.
std::string temporary_pattern(const char *name);

} // namespace toft::lab
