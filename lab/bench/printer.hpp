// SPDX-License-Identifier: MIT
#pragma once

#include "table.hpp"

#include <cstdio>
#include <string>

// Where tables and the words around them go.
namespace toft::lab {

class printer {
  public:
    printer(std::FILE *stream, bool color);

    void heading(const std::string &text); // bold, after an empty line
    void text(const std::string &words);   // wrapped at 80 columns
    void print(const table &);

  private:
    std::FILE *stream_;
    bool color_;
};

// Breaks at blanks so that no line is wider, unless a word is.
std::string wrap(const std::string &words, std::size_t width);

} // namespace toft::lab
