// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

// A table in plain text: numbers right-aligned, the best of a column marked by an asterisk, and in
// bold green where colours show.
//
//                       fresh           reused
//                      ns  ÷raw       ns  ÷raw
//     toft::arena    1.33*  1.01    0.70*  1.02
//     malloc (glibc) 33.00 25.00   14.00  20.00
namespace toft::lab {

struct cell {
    std::string text;
    std::optional<double> value = {}; // competes for the column's best
    std::optional<double> exact = {}; // what the text was rounded from, where it is a figure
    bool noisy = false;               // a ratio of the figure gets a tilde
};

enum class best_is { none, lowest, highest };

struct column {
    std::string header;
    std::string group = {}; // neighbours with the same group get one header above
    best_is best = best_is::none;
    std::string exact_unit = {}; // of the exact figures, where it isn't that of the texts
};

class table {
  public:
    explicit table(std::vector<column> columns); // the first is text, left-aligned
    void add(std::vector<cell> cells);           // one for each column
    // The table as lines, each with its newline. A table that is wider than that many columns is
    // cut between groups into several tables, one below another, each with the first column.
    std::string render(bool color, std::size_t width = unlimited) const;

    static constexpr std::size_t unlimited = static_cast<std::size_t>(-1);

    const std::vector<column> &columns() const { return columns_; }
    const std::vector<std::vector<cell>> &lines() const { return rows_; }
    std::vector<bool> find_best() const; // by line, then column

  private:
    std::string render_whole(bool color) const;
    std::size_t end_of_part(std::size_t first, std::size_t width) const;
    table part(std::size_t first, std::size_t last) const;
    std::vector<std::size_t> measure() const;
    std::string render_groups(const std::vector<std::size_t> &widths) const;
    std::string render_cell(std::size_t c, std::size_t width, const std::string &text,
                            const char *mark) const;

    std::vector<column> columns_;
    std::vector<std::vector<cell>> rows_;
};

// The width of a text in UTF-8, in columns of a terminal. It counts code points, which is right for
// every character that the lab prints.
std::size_t width_of(const std::string &);

} // namespace toft::lab
