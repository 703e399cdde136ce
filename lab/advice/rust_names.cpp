// SPDX-License-Identifier: MIT
// By libiberty, as gdb and binutils read them. Its header would declare basename, and not as
// <string.h> does, unless it is told that somebody else has.
#include "rust_names.hpp"

#include <cstdlib>
#include <memory>

#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>

namespace toft::lab {

std::string rust_name(const char *linkage) {
    const std::unique_ptr<char, void (*)(void *)> name(rust_demangle(linkage, 0), std::free);
    return name ? name.get() : "";
}

} // namespace toft::lab
