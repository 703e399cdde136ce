// SPDX-License-Identifier: MIT
#include "command.hpp"

#include <algorithm>
#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace {

class scratch_folder {
  public:
    scratch_folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "toft-lab-XXXXXX").string();
        REQUIRE(mkdtemp(pattern.data()));
        path_ = pattern;
    }
    ~scratch_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    scratch_folder(const scratch_folder &) = delete;
    scratch_folder &operator=(const scratch_folder &) = delete;

    std::filesystem::path path_;
};

} // namespace

std::string unwrapped(std::string text) {
    for (std::size_t at = text.find('\n'); at != text.npos; at = text.find('\n', at)) {
        const std::size_t end = std::min(text.find_first_not_of(" \n", at), text.size());
        text.replace(at, end - at, " ");
    }
    return text;
}

bool contains(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

std::string scratch(const std::string &name) {
    static const scratch_folder folder;
    return (folder.path_ / name).string();
}

std::string contents_of(const std::string &path) {
    std::ostringstream contents;
    contents << std::ifstream(path).rdbuf();
    return contents.str();
}

void write_to(const std::string &path, const std::string &contents) {
    std::ofstream(path) << contents;
}

run_result run_shell(const std::string &command) {
    const std::string out = scratch("out");
    const std::string err = scratch("err");
    const int status = std::system(("{ " + command + "\n} >" + out + " 2>" + err).c_str());
    return {WEXITSTATUS(status), contents_of(out), contents_of(err)};
}

run_result run_toft(const std::string &arguments) {
    return run_shell("'" TOFT_COMMAND "' " + arguments);
}

run_result run_command(const std::string &path, const std::string &arguments) {
    return run_shell(path + " " + arguments);
}

bool tells_functions() {
#ifdef TOFT_TELLS_FUNCTIONS
    return true;
#else
    MESSAGE("left out: toft was built without elfutils");
    return false;
#endif
}

bool lacks_report(const run_result &r) {
    const bool lacks = r.status == 2 && contains(r.err, "built without the report");
    if (lacks) MESSAGE("left out: toft was built without the report");
    return lacks;
}
