// SPDX-License-Identifier: MIT
#pragma once

#include "planted_cases.hpp"

#include <algorithm>
#include <string>
#include <string_view>

// Whether advice is the right answer for a planted program, and what a failing test says of it.

inline bool is_region(const toft::lab::advice &a) {
    using toft::lab::remedy;
    return a.what == remedy::arena || a.what == remedy::reap || a.what == remedy::inline_buffer;
}

inline bool is_right(const toft::lab::advice &a, const right_answer &right) {
    if (a.made.empty() || a.made.front().by.function != right.maker || a.what != right.what)
        return false;
    if (right.objects != 0 && a.objects != right.objects) return false;
    const bool scope_counts = is_region(a) || !right.scope.empty();
    return (!scope_counts || a.scope.function == right.scope) && a.escaping == right.escaping;
}

inline bool has_remark(const toft::lab::advice_report &report, std::string_view words) {
    return std::ranges::any_of(report.remarks, [&](const std::string &remark) {
        return remark.find(words) != remark.npos;
    });
}

inline std::string words_of(const toft::lab::advice &a) {
    return std::to_string(static_cast<int>(a.what)) + " in " + a.scope.function + ", " +
           std::to_string(a.objects) + " by " +
           (a.made.empty() ? "?" : a.made.front().by.function) + ", escaping " +
           std::to_string(a.escaping) + ", CPU up to " + std::to_string(a.cpu_percent.high) +
           " %; " + a.why;
}
