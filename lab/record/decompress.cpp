// SPDX-License-Identifier: MIT
#include "recorded_file.hpp"

#include <zstd.h>

namespace toft::lab {

bool decompress(std::span<const std::byte> from, std::span<std::byte> to) {
    const std::size_t n = ZSTD_decompress(to.data(), to.size(), from.data(), from.size());
    return ZSTD_isError(n) == 0 && n == to.size();
}

} // namespace toft::lab
