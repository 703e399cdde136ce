// SPDX-License-Identifier: MIT
#pragma once

#include "program.hpp"

#include <span>
#include <string>

// The cases of the suite `programs`, and the modules that they are in. One whose library wasn't
// there when Toft was built is left out.
namespace toft::lab {

struct program_case {
    std::string name;
    std::string title;
    std::string file;    // the module, beside the command's other helpers
    std::string needs;   // to be built
    bool can_drop_frees; // all its memory can go at once
    bool only_drops;     // the library itself frees all at once
    unsigned rounds;
};

std::span<const program_case> program_cases();
const program_case &find_program_case(const std::string &name);
std::string why_missing(const program_case &); // empty: it is there

// Throws std::runtime_error when the module can't be loaded. It stays loaded.
const program_module &load_program(const program_case &);

} // namespace toft::lab
