// SPDX-License-Identifier: MIT
#include "terminal.hpp"

#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

namespace toft::lab {

bool can_redraw(std::FILE *stream) {
    if (isatty(fileno(stream)) == 0) return false;
    const char *terminal = std::getenv("TERM");
    return terminal && *terminal && std::string_view(terminal) != "dumb";
}

bool can_color(std::FILE *stream) {
    const char *unwanted = std::getenv("NO_COLOR");
    return can_redraw(stream) && !(unwanted && *unwanted);
}

std::size_t columns_of(std::FILE *stream) {
    winsize size{};
    if (ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
    return 80;
}

} // namespace toft::lab
