// SPDX-License-Identifier: MIT
#include "checks.hpp"

#include <cmath>
#include <fmt/format.h>

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

const CLI::Validator without_percent_sign(
    [](std::string &text) {
        if (text.ends_with('%')) text.pop_back();
        return std::string();
    },
    "");

} // namespace toft::lab
