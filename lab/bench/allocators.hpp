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

// The malloc of this process, asked of the process itself: its name and version by symbols that
// only that library has, and the file that `malloc` comes from. What has no such symbols passes for
// glibc's, at another file.
struct running_allocator {
    std::string name;
    std::string version;
    std::string library; // canonical path
};
running_allocator ask_running_allocator();

// Whether this process's malloc is the one of that name: for a name that the lab doesn't know, the
// library that was preloaded.
bool is_running(const std::string &name);

// The names that the lab knows.
std::vector<std::string> allocator_names();

// All that the lab knows, in the order of the tables. Those that this machine has are looked up by
// starting a process under each: milliseconds.
std::vector<allocator> find_allocators();

// Another malloc, defined as NAME=FILE: a shared library that replaces malloc and free. Throws
// std::invalid_argument when the name is taken, or when a process under the library has another
// malloc.
allocator preloaded_allocator(const std::string &definition);

// Those of the comma-separated list. Throws std::invalid_argument, which says what there is.
std::vector<allocator> choose_allocators(const std::vector<allocator> &known,
                                         const std::string &list);

} // namespace toft::lab
