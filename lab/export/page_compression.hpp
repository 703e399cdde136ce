// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace toft::lab {

// The numbers of Parquet's format.
enum class page_codec { uncompressed = 0, zstd = 6 };

// How compressed_page() compresses: by zstd, or not at all where this toft was built without it.
page_codec page_compression();
std::string compressed_page(std::string_view);

} // namespace toft::lab
