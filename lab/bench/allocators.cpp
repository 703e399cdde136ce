// SPDX-License-Identifier: MIT
#include "allocators.hpp"

#include "process.hpp"

#include <algorithm>
#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gnu/libc-version.h>
#include <nlohmann/json.hpp>
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

// Empty when the loader doesn't find the library: it says so on standard error, which is dropped,
// and goes on without it, so the answer comes from another malloc.
std::string version_under(const candidate &c, const std::string &library) {
    const finished_process done = run_self({"ask-allocator"}, library, 10);
    if (!done.trouble.empty()) return {};
    const auto answer = nlohmann::json::parse(done.answer, nullptr, false);
    if (!answer.is_object() || answer.value("name", "") != c.name) return {};
    return answer.value("version", "");
}

} // namespace

running_allocator ask_running_allocator() {
    if (auto *version = find_symbol<int()>("mi_version"))
        return {"mimalloc", mimalloc_version(version())};
    if (auto *control =
            find_symbol<int(const char *, void *, size_t *, void *, size_t)>("mallctl")) {
        const char *version = "unknown";
        size_t size = sizeof version;
        control("version", &version, &size, nullptr, 0);
        return {"jemalloc", std::string(version).substr(0, std::string(version).find('-'))};
    }
    if (auto *version = find_symbol<const char *(int *, int *, const char **)>("tc_version"))
        return {"tcmalloc", version(nullptr, nullptr, nullptr)};
    return {"glibc", gnu_get_libc_version()};
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
