// SPDX-License-Identifier: MIT
#include "printer.hpp"

#include "run/tell.hpp"
#include "run/terminal.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace toft::lab {

printer::printer(std::FILE *stream)
    : stream_(stream),
      color_(can_color(stream)),
      width_(can_redraw(stream) ? columns_of(stream) : table::unlimited) {}

void printer::put(const std::string &text) {
    if (stream_ == stderr) return tell(stream_, text);
    fmt::print(stream_, "{}", text);
}

std::size_t printer::text_width() const { return std::min<std::size_t>(80, width_); }

void printer::heading(const std::string &text) {
    put(fmt::format("\n{}{}{}\n", color_ ? "\x1b[1m" : "", wrap(printable(text), text_width()),
                    color_ ? "\x1b[0m" : ""));
}

void printer::text(const std::string &words, std::size_t indent) {
    const std::size_t width = text_width();
    const std::string blanks(indent, ' ');
    std::istringstream lines(wrap(printable(words), width - std::min(indent, width / 2)));
    std::string one;
    do {
        std::getline(lines, one);
        put(blanks + one + "\n");
    } while (!lines.eof());
}

void printer::line(const std::string &text) { put(printable(text) + "\n"); }

void printer::print(const table &t) { put(t.render(color_, width_)); }

std::string printable(const std::string &text) {
    std::string shown;
    for (std::size_t i = 0; i != text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        const auto next = i + 1 == text.size() ? 0U : static_cast<unsigned char>(text[i + 1]);
        const bool is_c1 = c == 0xC2U && next >= 0x80U && next < 0xA0U; // U+0080 to U+009F
        if (is_c1) {
            shown += fmt::format("\\x{:02x}", next);
            ++i;
        } else if ((c < 0x20U && c != '\n') || c == 0x7FU) {
            shown += fmt::format("\\x{:02x}", c);
        } else {
            shown += text[i];
        }
    }
    return shown;
}

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
