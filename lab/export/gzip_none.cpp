// SPDX-License-Identifier: MIT
// In the place of gzip.cpp where zlib isn't there.
#include "gzip.hpp"

#include <stdexcept>

namespace toft::lab {

std::string gzipped(std::string_view) {
    throw std::runtime_error("this toft was built without zlib (zlib1g-dev), so it can't "
                             "compress: what pprof reads, and Firefox's files that end with .gz");
}

} // namespace toft::lab
