// SPDX-License-Identifier: MIT
// In the place of decompress.cpp where zstd's headers aren't there.
#include "recorded_file.hpp"

#include <stdexcept>

namespace toft::lab {

bool decompress(std::span<const std::byte>, std::span<std::byte>) {
    throw std::runtime_error("this toft was built without zstd (libzstd-dev), so it can't read "
                             "recordings");
}

} // namespace toft::lab
