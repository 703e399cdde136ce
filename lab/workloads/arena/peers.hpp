// SPDX-License-Identifier: MIT
#pragma once

#include "region_loops.h"
#include "subject/allocator.hpp"

#include <string>
#include <vector>

// Other people's arenas. Each is a module of its own, so that the command depends on none of them;
// one whose library wasn't there when Toft was built is left out.
namespace toft::lab {

struct peer {
    std::string name;
    std::string file;  // beside the command's other helpers
    std::string needs; // to be built
    // "VAR=VALUE", with which it asks for huge pages. Most take their chunks from glibc's malloc.
    std::string huge_pages_setting = glibc_huge_pages;
};

const std::vector<peer> &known_peers(); // as lab/peers/CMakeLists.txt declares them
std::string why_missing(const peer &);  // empty: it is there

// Throws std::runtime_error when the module can't be loaded. It stays loaded.
const toft_region_loops &load_peer(const peer &);

} // namespace toft::lab
