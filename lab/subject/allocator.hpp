// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

// The mallocs that a subject can live on. glibc's is the one that a process has anyway; the others
// are preloaded by the name of their library, so that the loader finds them as it finds any other.
// Which of them this machine has is found out in run/find_allocators.hpp.
namespace toft::lab {

struct allocator {
    std::string name;
    std::string preload;      // the library's name; empty: nothing to preload
    std::string version;      // empty: this machine doesn't have it
    std::string package;      // the package of Debian and Ubuntu that brings it
    std::string setting = {}; // "VAR=VALUE" in its processes' environment; empty: none

    // The name without a setting or a number behind it, by which is_running knows it.
    std::string plain_name() const { return name.substr(0, name.find(' ')); }
    bool present() const { return !version.empty(); }
};

// What a user does to have it: "Link mimalloc", or, of a malloc that is there anyway, "Run it with
// GLIBC_TUNABLES=...".
std::string way_to_have(const allocator &);

// With it, glibc's malloc asks the kernel for huge pages, from version 2.35 on.
inline constexpr const char *glibc_huge_pages = "GLIBC_TUNABLES=glibc.malloc.hugetlb=1";

// The malloc of this process, asked of the process itself: its name and version by symbols that
// only that library has, and the file that `malloc` comes from. A malloc without such symbols is
// taken for glibc's, but its file is another one.
struct running_allocator {
    std::string name;
    std::string version;
    std::string library; // canonical path
};
running_allocator ask_running_allocator();

// Whether this process's malloc is the one of that name. For a name that the lab doesn't know, it
// is when malloc comes from the library that was preloaded.
bool is_running(const std::string &name);

// Throws std::runtime_error, which names the malloc's library, when it isn't.
void require_running(const std::string &name);

// An allocator that the lab knows by name, with the libraries that it may be found under.
struct known_allocator {
    std::string name;
    std::vector<std::string> libraries; // newest first
    std::string package;
};

// In the order of the tables.
const std::vector<known_allocator> &known_allocators();
bool is_known_allocator(const std::string &name);

// One of those that isn't Toft's own.
bool is_foreign_allocator(const std::string &name);

// The path without links and dots; empty when there is no such file.
std::string canonical_path(const std::string &path);

} // namespace toft::lab
