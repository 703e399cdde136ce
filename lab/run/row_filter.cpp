// SPDX-License-Identifier: MIT
#include "row_filter.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace toft::lab {

bool contains_ignoring_case(const std::string &text, const std::string &part) {
    const auto same = [](unsigned char a, unsigned char b) {
        return std::tolower(a) == std::tolower(b);
    };
    return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

std::string path_of(const std::string &suite, const row &r) {
    return fmt::format("{}/{}/{}/{}", suite, r.case_name, r.subject,
                       r.by_allocator ? r.allocator : "");
}

} // namespace toft::lab
