// SPDX-License-Identifier: MIT
#include "table.hpp"

#include "printer.hpp"

#include <algorithm>
#include <cassert>
#include <fmt/format.h>
#include <type_traits>
#include <utility>

namespace toft::lab {
namespace {

constexpr std::size_t gap = 1;

std::string left_aligned(const std::string &text, std::size_t width) {
    return fmt::format("{:<{}}", text, width);
}

std::string right_aligned(const std::string &text, std::size_t width) {
    return fmt::format("{:>{}}", text, width);
}

void end_line(std::string &lines) {
    lines.erase(lines.find_last_not_of(' ') + 1);
    lines += '\n';
}

} // namespace

std::size_t width_of(const std::string &text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
    }));
}

table::table(std::vector<column> columns) : columns_(std::move(columns)) {}

void table::add(std::vector<cell> cells) {
    assert(cells.size() == columns_.size());
    for (cell &c : cells) c.text = printable(c.text);
    rows_.push_back(std::move(cells));
}

std::vector<bool> table::find_best() const {
    std::vector<bool> best(rows_.size() * columns_.size());
    for (std::size_t c = 0; c != columns_.size(); ++c) {
        if (columns_[c].best == best_is::none) continue;
        const double sign = columns_[c].best == best_is::lowest ? 1 : -1;
        std::optional<double> extreme;
        for (const auto &row : rows_)
            if (row[c].value && (!extreme || sign * *row[c].value < *extreme))
                extreme = sign * *row[c].value;
        for (std::size_t r = 0; r != rows_.size(); ++r)
            best[r * columns_.size() + c] =
                extreme && rows_[r][c].value && sign * *rows_[r][c].value <= *extreme;
    }
    return best;
}

// The width of each column. One that marks its best has room for the mark.
std::vector<std::size_t> table::measure() const {
    std::vector<std::size_t> widths;
    for (std::size_t c = 0; c != columns_.size(); ++c) {
        const std::size_t mark = columns_[c].best == best_is::none ? 0 : 1;
        std::size_t width = width_of(columns_[c].header) + mark;
        for (const auto &row : rows_) width = std::max(width, width_of(row[c].text) + mark);
        widths.push_back(width);
    }
    return widths;
}

std::string table::render_groups(const std::vector<std::size_t> &widths) const {
    std::string line = left_aligned("", widths[0]);
    bool any = false;
    for (std::size_t c = 1; c != columns_.size();) {
        const std::string &group = columns_[c].group;
        std::size_t width = 0;
        for (const std::size_t first = c; c != columns_.size() && columns_[c].group == group; ++c)
            width += widths[c] + (c == first ? 0 : gap);
        line += fmt::format("{:{}}{:^{}}", "", gap, group, width);
        any |= !group.empty();
    }
    end_line(line);
    return any ? line : std::string();
}

// In a column with marks, cells without one get a blank instead, so that figures stay aligned.
std::string table::render_cell(std::size_t c, std::size_t width, const std::string &text,
                               const char *mark) const {
    const std::string marked = columns_[c].best == best_is::none ? text : text + mark;
    return c == 0 ? left_aligned(marked, width) : right_aligned(marked, width + gap);
}

// A table of the first column and of those in [first, last).
table table::part(std::size_t first, std::size_t last) const {
    const auto chosen = [&](const auto &all) {
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first);
        std::remove_cvref_t<decltype(all)> some(begin,
                                                all.begin() + static_cast<std::ptrdiff_t>(last));
        some.insert(some.begin(), all.front());
        return some;
    };
    table t(chosen(columns_));
    for (const auto &row : rows_) t.rows_.push_back(chosen(row));
    return t;
}

// Where the part that begins with this column ends: after as many whole groups as fit beside the
// first column, but at least one.
std::size_t table::end_of_part(std::size_t first, std::size_t width) const {
    const std::vector<std::size_t> widths = measure();
    std::size_t used = widths[0], last = first;
    for (std::size_t c = first; c != columns_.size(); ++c) {
        used += gap + widths[c];
        const bool ends_group = c + 1 == columns_.size() || columns_[c].group.empty() ||
                                columns_[c + 1].group != columns_[c].group;
        if (used > width && last != first) return last;
        if (ends_group) last = c + 1;
    }
    return last;
}

std::string table::render(bool color, std::size_t width) const {
    std::string parts;
    for (std::size_t first = 1; first < columns_.size();) {
        const std::size_t last = end_of_part(first, width);
        if (first != 1) parts += '\n';
        parts += part(first, last).render_whole(color);
        first = last;
    }
    return parts;
}

std::string table::render_whole(bool color) const {
    const std::vector<std::size_t> widths = measure();
    const std::vector<bool> best = find_best();
    std::string lines = render_groups(widths);
    for (std::size_t c = 0; c != columns_.size(); ++c)
        lines += render_cell(c, widths[c], columns_[c].header, " ");
    end_line(lines);
    for (std::size_t r = 0; r != rows_.size(); ++r) {
        for (std::size_t c = 0; c != columns_.size(); ++c) {
            const bool is_best = best[r * columns_.size() + c];
            const std::string text =
                render_cell(c, widths[c], rows_[r][c].text, is_best ? "*" : " ");
            lines += is_best && color ? fmt::format("\x1b[1;32m{}\x1b[0m", text) : text;
        }
        end_line(lines);
    }
    return lines;
}

} // namespace toft::lab
