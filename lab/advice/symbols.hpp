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
    bool is_rust = false;
};

// What stands at an address to which a call returns: innermost first, the inlined functions and
// then the one they are in. Never empty.
using symbol_source =
    std::function<std::vector<source_place>(const recorded_module &, std::uint64_t address)>;

// A call of a function as the text has it. A compiler makes several functions of one text, puts
// copies of one into its callers, and sets parts of one apart.
struct text_call {
    std::uint64_t function = 0; // the same number for all that was made of one text, in a module
    std::uint64_t copy = 0;     // which one was inlined here, beyond any address; 0: none was
    std::uint64_t line = 0;     // number of the place in its text that calls further; 0: not known
};

// Numbers from here on are of texts that several modules may have, as that of an inline function.
inline constexpr std::uint64_t first_shared_text = std::uint64_t{3} << 62;

// What stands at an address to which a call returns.
struct known_calls {
    // Outermost first: that of a compiled function, and those that were inlined there.
    std::vector<text_call> calls;
    std::uint64_t compiled = 0; // the number of that function's name; 0: it has none
    // The function that is called there, by its number; 0: it isn't known, or is the heap's. When
    // another one runs below this address, that was called in tail position.
    std::uint64_t callee = 0;
};

// `begin` is that of the piece of code which the address lies in. There is a call at least. Where
// the text isn't known, a function's number is the address of its begin.
using call_source =
    std::function<known_calls(const recorded_module &, std::uint64_t address, std::uint64_t begin)>;

// A call that has called another function in tail position, and goes on in that one's frame.
struct left_call {
    std::uint64_t function = 0; // by its number
    source_place place;         // without a line
};

// Those between the call that returns to this address and a function of the module `below` that
// runs below it, by the number of its name; 0: a call of the heap. Outermost first; where several
// ways lead there, the functions of all of them. All are in that module.
using left_source =
    std::function<std::vector<left_call>(const recorded_module &, std::uint64_t address,
                                         const recorded_module &below, std::uint64_t compiled)>;

struct code_range {
    std::uint64_t begin = 0, end = 0;
};

// Where the code of an inlined call lies. `inside` is the number of calls that were inlined into
// this one at the address. Empty where it isn't known.
using code_source = std::function<std::vector<code_range>(const recorded_module &,
                                                          std::uint64_t address, unsigned inside)>;

// All of them from the same files.
struct program_symbols {
    symbol_source places;
    call_source calls; // without it each piece of code is a function by itself
    left_source left;
    code_source code;
};

// Reads the modules' files and separate debug files where they are (elfutils). Built without
// elfutils, or where a file is gone or of another build, it knows only the module and the offset.
program_symbols read_symbols();

source_place unknown_place(const recorded_module &, std::uint64_t address);

} // namespace toft::lab
