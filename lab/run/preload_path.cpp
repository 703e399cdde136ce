// SPDX-License-Identifier: MIT
#include "preload_path.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <system_error>

namespace toft::lab {
namespace {

class folder_of_links {
  public:
    folder_of_links() {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "toft-links-XXXXXX").string();
        if (!mkdtemp(pattern.data()))
            throw std::system_error(errno, std::generic_category(), "can't make " + pattern);
        path_ = pattern;
    }
    ~folder_of_links() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    folder_of_links(const folder_of_links &) = delete;
    folder_of_links &operator=(const folder_of_links &) = delete;

    std::string link_to(const std::string &library) {
        const auto [link, is_new] =
            links_.try_emplace(library, path_ / fmt::format("{}.so", links_.size()));
        if (is_new) std::filesystem::create_symlink(library, link->second);
        return link->second.string();
    }

  private:
    std::filesystem::path path_;
    std::map<std::string, std::filesystem::path> links_;
};

} // namespace

std::string preload_path(const std::string &library) {
    if (library.find_first_of(" :") == std::string::npos) return library;
    static folder_of_links folder;
    return folder.link_to(library);
}

} // namespace toft::lab
