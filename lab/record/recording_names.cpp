// SPDX-License-Identifier: MIT
#include "recording_names.hpp"

#include <fmt/format.h>

namespace toft::lab {
namespace {

bool take(std::string_view &from, std::string_view prefix) {
    if (!from.starts_with(prefix)) return false;
    from.remove_prefix(prefix.size());
    return true;
}

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

} // namespace

bool is_named_for_process(std::string_view path, std::string_view asked, std::uint64_t process) {
    if (!take(path, asked) || !take(path, fmt::format(".{}", process))) return false;
    return path.empty() || (take(path, ".") && is_number(path));
}

bool is_named_before_exec(std::string_view path, std::string_view asked) {
    return take(path, asked) && take(path, ".exec-") && is_number(path);
}

} // namespace toft::lab
