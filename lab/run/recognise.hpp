// SPDX-License-Identifier: MIT
#pragma once

#include <string>

// Whether another malloc can be preloaded into a program at all: looked up before it is run.
namespace toft::lab {

struct recognised_program {
    std::string path;    // where the shell's search finds it
    std::string trouble; // why no malloc can be tried with it, and what to do; empty: one can
    std::string remark;  // what a reader must know; empty: nothing
    // The malloc that it brings as a library of its own: the first row isn't glibc's then.
    std::string own_library;
};

recognised_program recognise_program(const std::string &name);

} // namespace toft::lab
