// SPDX-License-Identifier: MIT
#include "checks.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <string_view>

namespace toft::lab {

CLI::Validator more_than_zero(double most) {
    return {[most](const std::string &text) {
                double number = 0;
                if (CLI::detail::lexical_cast(text, number) && number > 0 && number <= most)
                    return std::string();
                const std::string bound = std::isinf(most) ? "" : fmt::format(", at most {}", most);
                return fmt::format("'{}' isn't a number above 0{}", text, bound);
            },
            "POSITIVE"};
}

CLI::Validator range(double least, double most) {
    const CLI::Validator not_nan(
        [](const std::string &text) {
            double number = 0;
            const bool is_nan = CLI::detail::lexical_cast(text, number) && std::isnan(number);
            return is_nan ? fmt::format("'{}' isn't a number", text) : std::string();
        },
        "");
    return CLI::Range(least, most) & not_nan;
}

const CLI::Validator not_empty(
    [](const std::string &text) {
        return text.empty() ? std::string("the value is empty: give one, or leave the option out")
                            : std::string();
    },
    "");

const CLI::Validator file_name(
    [](std::string &text) {
        if (text == "-")
            return std::string("'-' names no file: /dev/stdout is the standard output, but other "
                               "words are printed there too");
        return not_empty(text);
    },
    "");

const CLI::Validator bytes_above_zero(
    [](std::string &text) {
        constexpr std::array<std::string_view, 4> units{"", "K", "M", "G"};
        std::uint64_t number = 0;
        const char *const end = text.data() + text.size();
        const char *const behind = std::from_chars(text.data(), end, number).ptr;
        const auto unit = std::find(units.begin(), units.end(), std::string_view(behind, end));
        const auto shift = 10 * static_cast<unsigned>(unit - units.begin());
        if (unit == units.end() || number == 0 || number > UINT64_MAX >> shift)
            return fmt::format("'{}' isn't a number of bytes above 0, such as 524288 or 512K",
                               text);
        text = std::to_string(number << shift);
        return std::string();
    },
    "");

const CLI::Validator without_percent_sign(
    [](std::string &text) {
        if (text.ends_with('%')) text.pop_back();
        return std::string();
    },
    "");

} // namespace toft::lab
