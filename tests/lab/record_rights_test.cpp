// SPDX-License-Identifier: MIT
// `toft record` of programs that can't open a file any longer when there is something to write.
#include "recorded_run.hpp"

#include <doctest/doctest.h>
#include <filesystem>

using namespace toft::lab;

namespace {

constexpr int not_allowed = 77;

std::vector<std::string> files_of(const std::string &path) {
    std::vector<std::string> found;
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    for (const auto &entry : std::filesystem::directory_iterator(folder))
        if (entry.path().string().starts_with(path)) found.push_back(entry.path().string());
    return found;
}

} // namespace

TEST_CASE("toft record: a program that gives up its rights is recorded to its end") {
    for (const char *what : {"files", "root", "user", "root user", "close root", "close user"}) {
        CAPTURE(what);
        const recorded made = record_program(TOFT_RECORD_RIGHTS, what);
        CAPTURE(made.run.err);
        if (made.run.status == not_allowed) {
            MESSAGE("left out, since this user may not do it: ", what);
            continue;
        }
        CHECK(made.run.status == 0);
        CHECK_FALSE(contains(made.run.err, "recording ends here"));
        CHECK_FALSE(contains(made.run.err, "couldn't be followed"));
        REQUIRE(std::filesystem::exists(made.path));
        const read_back r = read_all(made.path);
        CHECK(r.what.incomplete.empty());
        const std::vector<heap_event> objects = of_size(r, 4002);
        REQUIRE(objects.size() == 1000);
        const stack_node &maker = r.what.stacks[objects.front().stack];
        CHECK(r.what.modules[maker.module].path == TOFT_RECORD_RIGHTS);
        CHECK(files_of(made.path).size() == 1);
    }
}

TEST_CASE("toft record: so is a child that has called its heap before") {
    for (const char *what : {"fork files", "fork close root", "fork close user"}) {
        CAPTURE(what);
        const recorded made = record_program(TOFT_RECORD_RIGHTS, what);
        CAPTURE(made.run.err);
        CHECK(made.run.status == 0);
        CHECK_FALSE(contains(made.run.err, "recording ends here"));
        for (const std::string &path : files_of(made.path)) {
            const read_back r = read_all(path);
            CHECK(r.what.incomplete.empty());
            if (path == made.path) continue;
            CHECK(of_size(r, 4001).size() == 1);
            if (of_size(r, 4002).empty())
                MESSAGE("left out, since this user may not do it: ", what);
            else
                CHECK(of_size(r, 4002).size() == 1000);
        }
        CHECK(files_of(made.path).size() == 2);
    }
}
