// SPDX-License-Identifier: MIT
#include "own_malloc.hpp"

#include "run/find_allocators.hpp"

#include <fmt/format.h>
#include <optional>
#include <stdexcept>

namespace toft::lab {

std::string malloc_of(const recording &of, const recognised_program &program) {
    if (!program.path.empty() || of.command_line.empty()) return program.own_library;
    return recognise_program(of.command_line.front()).own_library;
}

void put_own_malloc_first(std::vector<allocator> &all, const std::string &library) {
    if (library.empty()) return;
    const std::optional<allocator> own = allocator_of_library(library);
    if (!own)
        throw std::invalid_argument(fmt::format(
            "the program brings the malloc of {}, under which nothing can be replayed here: "
            "install it, or put its folder into LD_LIBRARY_PATH",
            library));
    std::erase_if(all, [&](const allocator &a) { return a.name == own->name; });
    all.insert(all.begin(), *own);
}

} // namespace toft::lab
