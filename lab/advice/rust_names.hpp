// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace toft::lab {

// "<alloc::string::String>::clone": a Rust function's name for the linker, of either kind
// ("_RNv…" and "_ZN…17h0123456789abcdefE"), as its programmers know it, without hashes. Without
// libiberty, as far as it can be read. Empty: it isn't one.
std::string rust_name(const char *linkage);

} // namespace toft::lab
