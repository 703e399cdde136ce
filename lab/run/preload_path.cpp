// SPDX-License-Identifier: MIT
#include "preload_path.hpp"

#include "temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <fmt/format.h>
#include <system_error>

namespace toft::lab {
namespace {

bool is_split(const std::string &path) { return path.find_first_of(" :") != std::string::npos; }

std::filesystem::path make_folder() {
    std::string pattern = temporary_pattern("toft-links");
    if (is_split(pattern)) pattern = "/tmp/toft-links-XXXXXX"; // whatever TMPDIR says
    if (!mkdtemp(pattern.data()))
        throw std::system_error(errno, std::generic_category(), "can't make " + pattern);
    return pattern;
}

} // namespace

preload_links::~preload_links() {
    std::error_code ignored;
    if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

std::string preload_links::path_to(const std::string &library) {
    if (!is_split(library)) return library;
    if (folder_.empty()) folder_ = make_folder();
    const auto [link, is_new] =
        links_.try_emplace(library, folder_ / fmt::format("{}.so", links_.size()));
    if (is_new) std::filesystem::create_symlink(library, link->second);
    return link->second.string();
}

std::string preload_path(const std::string &library) {
    static preload_links links;
    return links.path_to(library);
}

} // namespace toft::lab
