// SPDX-License-Identifier: MIT
#include "allocator_variants.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <stdexcept>
#include <string_view>
#include <unistd.h>

namespace toft::lab {
namespace {

// The beginnings of their names: glibc's, jemalloc's, mimalloc's, tcmalloc's, Toft's.
constexpr std::array<std::string_view, 8> read_by_mallocs = {
    "GLIBC_TUNABLES=", "MALLOC_",     "MIMALLOC_", "JEMALLOC_",
    "TCMALLOC_",       "HEAPPROFILE", "TOFT_",     "_RJEM_"};

} // namespace

allocator allocator_with_setting(const std::vector<allocator> &there,
                                 const std::string &definition) {
    const auto colon = definition.find(':');
    const auto equals = definition.find('=');
    const bool well_formed = colon != std::string::npos && colon != 0 &&
                             equals != std::string::npos && equals > colon + 1;
    if (!well_formed)
        throw std::invalid_argument(fmt::format(
            "--env takes NAME:VAR=VALUE, as in glibc:MALLOC_ARENA_MAX=1, not '{}'", definition));
    const std::string name = definition.substr(0, colon);
    const auto found = std::find_if(there.begin(), there.end(),
                                    [&](const allocator &a) { return a.name == name; });
    if (found == there.end())
        throw std::invalid_argument(fmt::format("--env: no allocator is named '{}'", name));
    allocator with = *found;
    const std::string setting = definition.substr(colon + 1);
    with.name = fmt::format("{} {}", name, setting);
    with.setting = setting;
    return with;
}

void make_names_unique(std::vector<allocator> &all) {
    std::map<std::string, unsigned> seen;
    for (allocator &a : all)
        if (const unsigned count = ++seen[a.name]; count > 1)
            a.name = fmt::format("{} #{}", a.name, count);
}

std::vector<std::string> settings_in_environment() {
    std::vector<std::string> found;
    for (char **v = environ; *v; ++v) {
        const std::string_view variable = *v;
        if (std::any_of(read_by_mallocs.begin(), read_by_mallocs.end(),
                        [&](std::string_view name) { return variable.starts_with(name); }))
            found.emplace_back(variable);
    }
    std::sort(found.begin(), found.end());
    return found;
}

} // namespace toft::lab
