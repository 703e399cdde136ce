// SPDX-License-Identifier: MIT
#include "symbols.hpp"

#include <filesystem>
#include <fmt/format.h>

namespace toft::lab {

source_place unknown_place(const recorded_module &m, std::uint64_t address) {
    const std::string name = std::filesystem::path(m.path).filename().string();
    return {fmt::format("{}+{:#x}", name.empty() ? "?" : name, address), "", 0};
}

} // namespace toft::lab
