// SPDX-License-Identifier: MIT
#include "page_compression.hpp"

#include <stdexcept>
#include <zstd.h>

namespace toft::lab {

page_codec page_compression() { return page_codec::zstd; }

std::string compressed_page(std::string_view page) {
    constexpr int fast = 1;
    std::string result(ZSTD_compressBound(page.size()), '\0');
    const std::size_t n =
        ZSTD_compress(result.data(), result.size(), page.data(), page.size(), fast);
    if (ZSTD_isError(n)) throw std::runtime_error(ZSTD_getErrorName(n));
    result.resize(n);
    return result;
}

} // namespace toft::lab
