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
    std::string variable = "TMPDIR", chosen = "/tmp";
    for (const char *one : {"TEMPDIR", "TEMP", "TMP", "TMPDIR"}) // the last that is set is taken
        if (const char *value = std::getenv(one)) variable = one, chosen = value;
    throw std::system_error(
        error, fmt::format("{} must name a folder for temporary files, not {}", variable, chosen));
}

} // namespace toft::lab
