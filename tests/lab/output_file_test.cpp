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
    CHECK_FALSE(std::filesystem::exists(path + ".part"));
}

TEST_CASE("a folder that isn't there is an error at once") {
    CHECK_THROWS_AS(output_file(scratch("no/such/folder.json")), std::system_error);
}
