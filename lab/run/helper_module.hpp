// SPDX-License-Identifier: MIT
#pragma once

#include <string>

// Modules beside the command's other helpers. One whose library wasn't there when Toft was built is
// left out.
namespace toft::lab {

// Empty: the file is there. If not, it says what is needed to build it.
std::string why_not_built(const std::string &file, const std::string &needs);

// Throws std::runtime_error when the module can't be loaded or doesn't have the symbol. It stays
// loaded.
void *load_symbol(const std::string &file, const char *symbol);

} // namespace toft::lab
