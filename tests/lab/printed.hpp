// SPDX-License-Identifier: MIT
#pragma once

#include "show/printer.hpp"

#include <cstdio>
#include <new>
#include <string>

// What is printed, as a text.
namespace toft::lab {

template <class Print>
std::string printed_by(Print print) {
    std::FILE *file = std::tmpfile();
    if (!file) throw std::bad_alloc();
    printer out(file);
    print(out);
    std::rewind(file);
    std::string text;
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
    std::fclose(file);
    return text;
}

} // namespace toft::lab
