// SPDX-License-Identifier: MIT
// Where libiberty isn't installed. Names of the older kind can be read as those of C++ can, but for
// what stands for brackets.
#include "rust_names.hpp"

#include <cctype>
#include <cstdlib>
#include <cxxabi.h>
#include <memory>
#include <string_view>

namespace toft::lab {
namespace {

bool is_of_newer_kind(std::string_view linkage) {
    return linkage.size() > 2 && linkage.starts_with("_R") &&
           std::isupper(static_cast<unsigned char>(linkage[2])) != 0;
}

// "_ZN1a4Tree4growE" for "_ZN1a4Tree4grow17h0123456789abcdefE", which C++ could have too. Empty:
// that isn't the name's kind.
std::string without_hash(std::string_view linkage) {
    const std::size_t hash = linkage.rfind("17h");
    if (!linkage.starts_with("_ZN") || hash == linkage.npos) return {};
    const std::size_t end = linkage.find_first_not_of("0123456789abcdef", hash + 3);
    const bool is_hash = end == hash + 3 + 16 && linkage[end] == 'E';
    return is_hash ? std::string(linkage.substr(0, hash)) + "E" : "";
}

} // namespace

std::string rust_name(const char *linkage) {
    if (is_of_newer_kind(linkage)) return linkage;
    const std::string older = without_hash(linkage);
    const std::unique_ptr<char, void (*)(void *)> name(
        abi::__cxa_demangle(older.c_str(), nullptr, nullptr, nullptr), std::free);
    return name ? name.get() : older;
}

} // namespace toft::lab
