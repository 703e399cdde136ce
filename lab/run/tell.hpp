// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <fmt/format.h>
#include <string>
#include <utility>

// Words for the user beside the output, on standard error. Where they can't be written, because it
// is closed or full, nobody can be told, and the work goes on: nothing is thrown.
namespace toft::lab {

inline void tell(std::FILE *stream, const std::string &text) {
    (void)std::fwrite(text.data(), 1, text.size(), stream);
}

template <class... Arguments>
void tell_stderr(fmt::format_string<Arguments...> format, Arguments &&...arguments) {
    tell(stderr, fmt::format(format, std::forward<Arguments>(arguments)...));
}

} // namespace toft::lab
