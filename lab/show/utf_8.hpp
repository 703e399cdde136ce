// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace toft::lab {

// With U+FFFD for what isn't UTF-8, as all JSON of the command has it: names of files and words of
// a command line may be in any encoding.
std::string as_utf_8(std::string_view bytes);

} // namespace toft::lab
