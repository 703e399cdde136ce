// SPDX-License-Identifier: MIT
#pragma once

#include "region_loops.h"

#include <string>
#include <vector>

// Other people's arenas. Each is a module of its own, so that the command depends on none of them;
// one whose library wasn't there when Toft was built is left out.
namespace toft::lab {

// With it, what a region takes from glibc's malloc lies on huge pages, from version 2.35 on. With
// the first part alone, which is what users set (subject/allocator.hpp), that malloc asks the
// kernel for them in its heap, but not in the blocks below 2 MiB that it maps one by one. With the
// second part it maps none below 32 MiB, which is the most that it allows.
inline constexpr const char *regions_on_huge_pages =
    "GLIBC_TUNABLES=glibc.malloc.hugetlb=1:glibc.malloc.mmap_threshold=33554432";

struct peer {
    std::string name;
    std::string file;  // beside the command's other helpers
    std::string needs; // to be built
    // "VAR=VALUE", with which it gets huge pages; most take their chunks from glibc's malloc. Empty
    // where it can't have any.
    std::string huge_pages_setting = regions_on_huge_pages;
};

const std::vector<peer> &known_peers(); // as lab/peers/CMakeLists.txt declares them
std::string why_missing(const peer &);  // empty: it is there

// Throws std::runtime_error when the module can't be loaded. It stays loaded.
const toft_region_loops &load_peer(const peer &);

} // namespace toft::lab
