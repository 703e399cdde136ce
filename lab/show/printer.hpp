// SPDX-License-Identifier: MIT
#pragma once

#include "table.hpp"

#include <cstdio>
#include <string>

// Prints tables and the words around them.
namespace toft::lab {

class printer {
  public:
    // On a terminal it uses colours and keeps to the terminal's width. On any other stream it
    // prints plain text, and tables are never cut.
    explicit printer(std::FILE *stream);

    void heading(const std::string &text); // bold, after an empty line; wrapped likewise
    // Wrapped at 80 columns, or the terminal's; each line begins with so many blanks.
    void text(const std::string &words, std::size_t indent = 0);
    void line(const std::string &text); // as it is, with its blanks
    void print(const table &);          // cut to the terminal's width

  private:
    std::size_t text_width() const;
    void put(const std::string &text); // throws when that fails, unless it is standard error

    std::FILE *stream_;
    bool color_;
    std::size_t width_;
};

// Control characters as a reader may see them: "\x1b". What comes from a file or another program
// may hold some, and a terminal would obey them. Line ends stay.
std::string printable(const std::string &text);

// Breaks at blanks so that no line is wider, unless a word is.
std::string wrap(const std::string &words, std::size_t width);

} // namespace toft::lab
