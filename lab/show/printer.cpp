// SPDX-License-Identifier: MIT
#include "printer.hpp"

#include "run/terminal.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace toft::lab {

printer::printer(std::FILE *stream)
    : stream_(stream),
      color_(can_color(stream)),
      width_(can_redraw(stream) ? columns_of(stream) : table::unlimited) {}

void printer::heading(const std::string &text) {
    fmt::print(stream_, "\n{}{}{}\n", color_ ? "\x1b[1m" : "", text, color_ ? "\x1b[0m" : "");
}

void printer::text(const std::string &words) {
    fmt::print(stream_, "{}\n", wrap(words, std::min<std::size_t>(80, width_)));
}

void printer::print(const table &t) { fmt::print(stream_, "{}", t.render(color_, width_)); }

std::string wrap(const std::string &words, std::size_t width) {
    std::string wrapped;
    std::size_t used = 0;
    std::istringstream stream(words);
    for (std::string word; stream >> word;) {
        const bool fits = used == 0 || used + 1 + width_of(word) <= width;
        if (!wrapped.empty()) wrapped += fits ? ' ' : '\n';
        used = fits && !wrapped.empty() ? used + (used ? 1 : 0) + width_of(word) : width_of(word);
        wrapped += word;
    }
    return wrapped;
}

} // namespace toft::lab
