// SPDX-License-Identifier: MIT
#include "command.hpp"
#include "show/output_file.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <system_error>

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
