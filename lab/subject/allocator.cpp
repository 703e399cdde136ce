// SPDX-License-Identifier: MIT
#include "allocator.hpp"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <gnu/libc-version.h>
#include <stdexcept>

namespace toft::lab {
namespace {

template <class Function>
Function *find_symbol(const char *name) {
    return reinterpret_cast<Function *>(dlsym(RTLD_DEFAULT, name));
}

// mimalloc says 209 for 2.0.9, 2112 for 2.1.12 and 30101 for 3.1.1.
std::string mimalloc_version(int v) {
    if (v < 1000) return fmt::format("{}.{}.{}", v / 100, v / 10 % 10, v % 10);
    if (v < 10000) return fmt::format("{}.{}.{}", v / 1000, v / 100 % 10, v % 100);
    return fmt::format("{}.{}.{}", v / 10000, v / 100 % 100, v % 100);
}

std::string library_of_malloc() {
    Dl_info info{};
    if (dladdr(dlsym(RTLD_DEFAULT, "malloc"), &info) == 0 || !info.dli_fname) return {};
    return canonical_path(info.dli_fname);
}

} // namespace

std::string way_to_have(const allocator &a) {
    if (a.setting.empty()) return "Link " + a.name;
    if (a.preload.empty()) return "Run it with " + a.setting;
    return fmt::format("Link {} and run it with {}", a.plain_name(), a.setting);
}

running_allocator ask_running_allocator() {
    const std::string library = library_of_malloc();
    if (auto *version = find_symbol<const char *()>("toft_malloc_version"))
        return {"toft-malloc", version(), library};
    if (auto *version = find_symbol<int()>("mi_version"))
        return {"mimalloc", mimalloc_version(version()), library};
    if (auto *control =
            find_symbol<int(const char *, void *, size_t *, void *, size_t)>("mallctl")) {
        const char *version = "unknown";
        size_t size = sizeof version;
        control("version", &version, &size, nullptr, 0);
        return {"jemalloc", std::string(version).substr(0, std::string(version).find('-')),
                library};
    }
    if (auto *version = find_symbol<const char *(int *, int *, const char **)>("tc_version"))
        return {"tcmalloc", version(nullptr, nullptr, nullptr), library};
    return {"glibc", gnu_get_libc_version(), library};
}

bool is_running(const std::string &name) {
    const running_allocator here = ask_running_allocator();
    if (is_known_allocator(name)) return here.name == name;
    const char *preload = std::getenv("LD_PRELOAD");
    return preload && !here.library.empty() && here.library == canonical_path(preload);
}

void require_running(const std::string &name) {
    if (!is_running(name))
        throw std::runtime_error(fmt::format("this process's malloc comes from {}, not from {}",
                                             ask_running_allocator().library, name));
}

const std::vector<known_allocator> &known_allocators() {
    static const std::vector<known_allocator> known = {
        {"glibc", {""}, "libc6"},
        {"toft-malloc", {"libtoft-malloc.so"}, "libtoft-malloc"},
        {"mimalloc", {"libmimalloc.so.3", "libmimalloc.so.2"}, "libmimalloc2.0"},
        {"jemalloc", {"libjemalloc.so.2"}, "libjemalloc2"},
        {"tcmalloc", {"libtcmalloc_minimal.so.4"}, "libtcmalloc-minimal4"},
    };
    return known;
}

bool is_known_allocator(const std::string &name) {
    const auto &known = known_allocators();
    return std::any_of(known.begin(), known.end(),
                       [&](const known_allocator &a) { return a.name == name; });
}

bool is_foreign_allocator(const std::string &name) {
    return is_known_allocator(name.substr(0, name.find(' '))) && !name.starts_with("toft");
}

std::string canonical_path(const std::string &path) {
    std::error_code error;
    const std::filesystem::path found = std::filesystem::canonical(path, error);
    return error ? std::string() : found.string();
}

} // namespace toft::lab
