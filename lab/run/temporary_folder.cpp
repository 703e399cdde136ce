// SPDX-License-Identifier: MIT
#include "temporary_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>

namespace toft::lab {

std::string temporary_pattern(const char *name) {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::temp_directory_path(error);
    if (!error) return (folder / fmt::format("{}-XXXXXX", name)).string();
    const char *chosen = std::getenv("TMPDIR");
    throw std::system_error(error,
                            fmt::format("TMPDIR must name a folder for temporary files, not {}",
                                        chosen ? chosen : "/tmp"));
}

} // namespace toft::lab
