// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdio>

// What the stream at the other end can show.
namespace toft::lab {

// A terminal on which a line can be redrawn: not a pipe, a file or TERM=dumb.
bool can_redraw(std::FILE *);

// Such a terminal, and the user hasn't set NO_COLOR (https://no-color.org).
bool can_color(std::FILE *);

// 80 where it can't be known.
std::size_t columns_of(std::FILE *);

} // namespace toft::lab
