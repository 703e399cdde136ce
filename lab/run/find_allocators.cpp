// SPDX-License-Identifier: MIT
#include "find_allocators.hpp"

#include "child.hpp"
#include "paths.hpp"
#include "process.hpp"
#include "running_allocator_json.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace toft::lab {
namespace {

// Nothing when it can't be asked.
std::optional<running_allocator> ask_under(const std::string &library) {
    const finished_process done = run_self({ask_allocator_command}, {library}, 10);
    if (!done.trouble.empty()) return std::nullopt;
    try {
        return nlohmann::json::parse(done.answer).get<running_allocator>();
    } catch (const nlohmann::json::exception &) {
        return std::nullopt;
    }
}

// A library that came with the command is taken before one of that name that the loader finds.
std::string beside_the_command(const std::string &library) {
    if (library.empty()) return library;
    const std::string path = canonical_path(helper_path("../" + library));
    return path.empty() ? library : path;
}

// Empty when the loader doesn't find the library: it says so on standard error, which is dropped,
// and goes on without it, so the answer comes from another malloc.
std::string version_under(const known_allocator &c, const std::string &library) {
    const std::optional<running_allocator> there = ask_under(library);
    return there && there->name == c.name ? there->version : std::string();
}

} // namespace

allocator preloaded_allocator(const std::string &definition) {
    const auto equals = definition.find('=');
    const std::string name = definition.substr(0, equals);
    if (equals == std::string::npos || name.empty() || name.find(',') != std::string::npos)
        throw std::invalid_argument(fmt::format(
            "--preload takes NAME=FILE, as in mine=./libmine.so, not '{}'", definition));
    if (is_known_allocator(name))
        throw std::invalid_argument(
            fmt::format("--preload: the lab knows a {} already; choose another name", name));
    const std::string file = definition.substr(equals + 1);
    const std::string library = canonical_path(file);
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

std::optional<allocator> allocator_of_library(const std::string &library) {
    const std::optional<running_allocator> there = ask_under(library), without = ask_under({});
    if (!there || !without || there->library == without->library) return std::nullopt;
    const bool says_what_it_is = there->name != "glibc";
    return allocator{says_what_it_is ? there->name
                                     : std::filesystem::path(there->library).filename().string(),
                     there->library,
                     says_what_it_is ? there->version : "version unknown",
                     {}};
}

std::vector<allocator> find_allocators() {
    std::vector<allocator> found;
    for (const known_allocator &c : known_allocators()) {
        allocator a{c.name, {}, {}, c.package};
        for (const std::string &library : c.libraries) {
            a.preload = beside_the_command(library);
            a.version = version_under(c, a.preload);
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
