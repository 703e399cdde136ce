// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <string>

// Paths for LD_PRELOAD. The loader takes blanks and colons for the ends of a path, so a library
// with one in its path gets a link, in a folder for temporary files: in /tmp, where that one's path
// has a blank or colon too.
namespace toft::lab {

class preload_links {
  public:
    preload_links() = default;
    ~preload_links(); // takes the links away
    preload_links(const preload_links &) = delete;
    preload_links &operator=(const preload_links &) = delete;

    // The library's own path, where that will do. Throws std::system_error when the link can't be
    // made.
    std::string path_to(const std::string &library);

  private:
    std::filesystem::path folder_; // empty: none was needed yet
    std::map<std::string, std::filesystem::path> links_;
};

// The same, with links that go when this process ends.
std::string preload_path(const std::string &library);

} // namespace toft::lab
