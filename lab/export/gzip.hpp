// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace toft::lab {

// As gzip writes it. Throws std::runtime_error where this toft was built without zlib.
std::string gzipped(std::string_view);

} // namespace toft::lab
