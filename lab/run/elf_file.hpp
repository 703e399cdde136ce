// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace toft::lab {

// What an executable file says of itself.
struct elf_file {
    bool is_64_bit = false;
    bool is_go = false;          // it carries Go's build information
    bool defines_malloc = false; // as a symbol that its libraries would find first
    std::string interpreter; // the loader's path, which runs first; empty: nothing can be preloaded
    std::vector<std::string> libraries; // that it needs, as it names them
    std::string build_id;               // in hexadecimal digits; empty: it has none
    std::string allocator_inside;       // whose settings its text names: "jemalloc"; empty: none
};

// Nothing when the file is no ELF file, or a broken one. Throws std::system_error when it can't be
// read.
std::optional<elf_file> read_elf_file(const std::string &path);

} // namespace toft::lab
