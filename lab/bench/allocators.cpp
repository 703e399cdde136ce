// SPDX-License-Identifier: MIT
#include "allocators.hpp"

#include "process.hpp"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gnu/libc-version.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
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

struct candidate {
    std::string name;
    std::vector<std::string> libraries; // newest first
    std::string package;
};

const std::vector<candidate> &candidates() {
    static const std::vector<candidate> known = {
        {"glibc", {""}, "libc6"},
        {"mimalloc", {"libmimalloc.so.3", "libmimalloc.so.2"}, "libmimalloc2.0"},
        {"jemalloc", {"libjemalloc.so.2"}, "libjemalloc2"},
        {"tcmalloc", {"libtcmalloc_minimal.so.4"}, "libtcmalloc-minimal4"},
    };
    return known;
}

bool is_known(const std::string &name) {
    return std::any_of(candidates().begin(), candidates().end(),
                       [&](const candidate &c) { return c.name == name; });
}

std::string canonical(const std::string &path) {
    std::error_code error;
    const std::filesystem::path found = std::filesystem::canonical(path, error);
    return error ? std::string() : found.string();
}

std::string library_of_malloc() {
    Dl_info info{};
    if (dladdr(dlsym(RTLD_DEFAULT, "malloc"), &info) == 0 || !info.dli_fname) return {};
    return canonical(info.dli_fname);
}

// Nothing when it can't be asked.
std::optional<running_allocator> ask_under(const std::string &library) {
    const finished_process done = run_self({"ask-allocator"}, library, 10);
    const auto answer = nlohmann::json::parse(done.answer, nullptr, false);
    if (!done.trouble.empty() || !answer.is_object()) return std::nullopt;
    return running_allocator{answer.value("name", ""), answer.value("version", ""),
                             answer.value("library", "")};
}

// Empty when the loader doesn't find the library: it says so on standard error, which is dropped,
// and goes on without it, so the answer comes from another malloc.
std::string version_under(const candidate &c, const std::string &library) {
    const std::optional<running_allocator> there = ask_under(library);
    return there && there->name == c.name ? there->version : std::string();
}

} // namespace

running_allocator ask_running_allocator() {
    const std::string library = library_of_malloc();
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
    if (is_known(name)) return here.name == name;
    const char *preload = std::getenv("LD_PRELOAD");
    return preload && !here.library.empty() && here.library == canonical(preload);
}

std::vector<std::string> allocator_names() {
    std::vector<std::string> names;
    for (const candidate &c : candidates()) names.push_back(c.name);
    return names;
}

allocator preloaded_allocator(const std::string &definition) {
    const auto equals = definition.find('=');
    const std::string name = definition.substr(0, equals);
    if (equals == std::string::npos || name.empty() || name.find(',') != std::string::npos)
        throw std::invalid_argument(fmt::format(
            "--preload takes NAME=FILE, as in mine=./libmine.so, not '{}'", definition));
    if (is_known(name))
        throw std::invalid_argument(
            fmt::format("--preload: the lab knows a {} already; choose another name", name));
    const std::string file = definition.substr(equals + 1);
    const std::string library = canonical(file);
    if (library.empty())
        throw std::invalid_argument(fmt::format("--preload: there is no file '{}'", file));
    const std::optional<running_allocator> there = ask_under(library);
    if (!there || there->library != library)
        throw std::invalid_argument(
            fmt::format("--preload: a process with {} preloaded has another malloc: {}", file,
                        there ? there->library : "it can't even start"));
    const bool says_what_it_is = there->name != "glibc";
    return {name,
            library,
            says_what_it_is ? fmt::format("{} {}", there->name, there->version) : "version unknown",
            {}};
}

std::vector<allocator> find_allocators() {
    std::vector<allocator> found;
    for (const candidate &c : candidates()) {
        allocator a{c.name, {}, {}, c.package};
        for (const std::string &library : c.libraries) {
            a.preload = library;
            a.version = version_under(c, library);
            if (a.present()) break;
        }
        found.push_back(std::move(a));
    }
    return found;
}

std::vector<allocator> choose_allocators(const std::vector<allocator> &known,
                                         const std::string &list) {
    std::vector<allocator> chosen;
    std::istringstream names(list);
    for (std::string name; std::getline(names, name, ',');) {
        const auto found = std::find_if(known.begin(), known.end(),
                                        [&](const allocator &a) { return a.name == name; });
        if (found == known.end()) {
            std::vector<std::string> there;
            for (const allocator &a : known) there.push_back(a.name);
            throw std::invalid_argument(fmt::format("no allocator is named '{}'; there are: {}",
                                                    name, fmt::join(there, ", ")));
        }
        chosen.push_back(*found);
    }
    if (chosen.empty()) throw std::invalid_argument("--allocators needs at least one name");
    return chosen;
}

} // namespace toft::lab
