// SPDX-License-Identifier: MIT
#include "paths.hpp"

#include <filesystem>

namespace toft::lab {

std::string helper_path(const std::string &file) {
    static const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe");
    return (here.parent_path().parent_path() / "lib" / "toft" / file).string();
}

} // namespace toft::lab
