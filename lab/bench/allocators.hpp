// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

// The mallocs that a subject can live on. glibc's is the one that a process has anyway; the others
// are preloaded by the name of their library, so the loader's own search finds them.
namespace toft::lab {

struct allocator {
    std::string name;
    std::string preload; // the library's name; empty: nothing to preload
    std::string version; // empty: this machine doesn't have it
    std::string package; // that brings it on Debian and Ubuntu

    bool present() const { return !version.empty(); }
};

// The name of the malloc that an allocator is in this process, and its version: asked of the
// process itself, by symbols that only that library has.
struct running_allocator {
    std::string name;
    std::string version;
};
running_allocator ask_running_allocator();

// All that the lab knows, in the order of the tables. Those that this machine has are looked up by
// starting a process under each: milliseconds.
std::vector<allocator> find_allocators();

// Those of the comma-separated list. Throws std::invalid_argument, which says what there is.
std::vector<allocator> choose_allocators(const std::vector<allocator> &known,
                                         const std::string &list);

} // namespace toft::lab
