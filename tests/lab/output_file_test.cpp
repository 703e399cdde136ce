// SPDX-License-Identifier: MIT
#include "command.hpp"
#include "show/output_file.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <filesystem>
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

using namespace toft::lab;

TEST_CASE("the file appears when it is complete, and an old one stays until then") {
    const std::string path = scratch("results.json");
    { output_file file(path); }
    CHECK_FALSE(std::filesystem::exists(path));
    {
        output_file file(path);
        file.write("first");
    }
    CHECK(contents_of(path) == "first");
    { output_file file(path); }
    CHECK(contents_of(path) == "first");
    for (const auto &entry : std::filesystem::directory_iterator(scratch(".")))
        CHECK_FALSE(contains(entry.path().string(), ".part"));
}

TEST_CASE("two that write one file have drafts of their own: the last one stands, whole") {
    const std::string path = scratch("shared.json");
    output_file first(path), second(path);
    second.write("second");
    CHECK(contents_of(path) == "second");
    first.write("first");
    CHECK(contents_of(path) == "first");
}

TEST_CASE("a folder that isn't there is an error at once") {
    CHECK_THROWS_AS(output_file(scratch("no/such/folder.json")), std::system_error);
}

TEST_CASE("a link stays a link, and what it leads to is written") {
    namespace fs = std::filesystem;
    fs::create_directory(scratch("elsewhere"));
    const std::string place = scratch("elsewhere/real.json");
    write_to(place, "old");
    fs::create_symlink("elsewhere/real.json", scratch("first-link"));
    fs::create_symlink("first-link", scratch("second-link"));
    output_file(scratch("second-link")).write("new");
    CHECK(fs::is_symlink(scratch("second-link")));
    CHECK(fs::is_symlink(scratch("first-link")));
    CHECK(contents_of(place) == "new");
    fs::create_symlink("elsewhere/not-yet.json", scratch("early-link"));
    output_file(scratch("early-link")).write("made");
    CHECK(contents_of(scratch("elsewhere/not-yet.json")) == "made");
    fs::create_symlink("round", scratch("round"));
    CHECK_THROWS_AS(output_file(scratch("round")), std::system_error);
}

// As /dev/stdout is when the output goes to a file.
TEST_CASE("a link to an open file of this process goes on where that one is") {
    namespace fs = std::filesystem;
    const std::string place = scratch("open-file");
    const int open_file = open(place.c_str(), O_WRONLY | O_CREAT, 0600);
    REQUIRE(open_file >= 0);
    REQUIRE(write(open_file, "before, ", 8) == 8);
    const std::string link = scratch("link-to-open-file");
    fs::create_symlink("/proc/self/fd/" + std::to_string(open_file), link);
    output_file(link).write("meanwhile, ");
    REQUIRE(write(open_file, "after", 5) == 5);
    close(open_file);
    CHECK(fs::is_symlink(link));
    CHECK(contents_of(place) == "before, meanwhile, after");
}

TEST_CASE("who could read the old file can read the new one, and nobody else") {
    namespace fs = std::filesystem;
    const std::string path = scratch("private.json");
    write_to(path, "old");
    fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
    output_file(path).write("new");
    CHECK(contents_of(path) == "new");
    CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("the new file is its old owner's and group's, or else the group has no rights") {
    namespace fs = std::filesystem;
    constexpr uid_t nobody = 65534;
    const auto made = [](const std::string &name, uid_t owner, gid_t group, mode_t mode) {
        write_to(name, "old");
        return chown(name.c_str(), owner, group) == 0 && chmod(name.c_str(), mode) == 0;
    };
    const auto is = [](const std::string &name, uid_t owner, gid_t group, mode_t mode) {
        struct stat found{};
        return contents_of(name) == "new" && stat(name.c_str(), &found) == 0 &&
               found.st_uid == owner && found.st_gid == group && (found.st_mode & 07777) == mode;
    };
    const std::string others = scratch("others.json");
    if (!made(others, 12, 34, 0640)) {
        MESSAGE("left out, since only root may give a file away");
        return;
    }
    output_file(others).write("new");
    CHECK(is(others, 12, 34, 0640));
    const fs::path folder = scratch("open to all");
    fs::create_directory(folder);
    fs::permissions(folder, fs::perms::all);
    REQUIRE(made(folder / "group", nobody, 0, 0664));
    REQUIRE(made(folder / "none", nobody, 0, 0604));
    REQUIRE(made(folder / "owner", 0, nobody, 0660));
    const pid_t child = fork();
    if (child == 0) {
        if (chdir(folder.c_str()) != 0 || setgroups(0, nullptr) != 0 || setgid(nobody) != 0 ||
            setuid(nobody) != 0)
            _exit(1);
        for (const char *name : {"group", "none", "owner"}) output_file(name).write("new");
        _exit(0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(status == 0);
    CHECK(is(folder / "group", nobody, nobody, 0604));
    CHECK(is(folder / "none", nobody, nobody, 0600));
    CHECK(is(folder / "owner", nobody, nobody, 0660));
}
