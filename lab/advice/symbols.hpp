// SPDX-License-Identifier: MIT
#pragma once

#include "record/recording.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// From addresses to functions, files and lines.
namespace toft::lab {

struct source_place {
    std::string function; // demangled, without its parameters; "module+0x1234" when not known
    std::string file;     // empty: not known
    unsigned line = 0;
};

// What stands at an address to which a call returns: innermost first, the inlined functions and
// then the one they are in. Never empty.
using symbol_source =
    std::function<std::vector<source_place>(const recorded_module &, std::uint64_t address)>;

// Reads the modules' files and separate debug files where they are (elfutils). Built without
// elfutils, or where a file is gone or of another build, it knows only the module and the offset.
symbol_source read_symbols();

// Where the function begins that a piece of code belongs to, by the piece's begin: compilers set
// apart what is seldom run, as exceptions' ways out, and name it "serve.cold". The result is the
// piece's own begin where no such function is known.
using whole_function = std::function<std::uint64_t(const recorded_module &, std::uint64_t begin)>;
whole_function read_whole_functions();

source_place unknown_place(const recorded_module &, std::uint64_t address);

} // namespace toft::lab
