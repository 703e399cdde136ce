// SPDX-License-Identifier: MIT
// Whatever an executable file says of itself, nothing is read beyond its end.
#include "command.hpp"
#include "run/elf_file.hpp"
#include "run/recognise.hpp"

#include <cstring>
#include <doctest/doctest.h>
#include <elf.h>
#include <filesystem>

#include "../property/choices.hpp"
#include "../property/seeds.hpp"

using namespace toft::lab;
using toft_test::choices;

namespace {

std::uint64_t odd_number(choices &choose, std::size_t size) {
    const std::uint64_t odd[] = {0, 1, size - 1, size, size + 1, UINT32_MAX, INT64_MAX, UINT64_MAX};
    return choose.one_in(2) ? choose.below(size) : odd[choose.below(std::size(odd))];
}

// The header, the tables that it names, or any other place.
std::size_t place_in(const std::string &file, choices &choose) {
    Elf64_Ehdr header;
    std::memcpy(&header, file.data(), sizeof header);
    const std::size_t tables = header.e_shnum * sizeof(Elf64_Shdr);
    switch (choose.below(4)) {
    case 0:
        return choose.below(sizeof header);
    case 1:
        return sizeof header + choose.below(header.e_phnum * sizeof(Elf64_Phdr));
    case 2:
        return header.e_shoff + choose.below(tables);
    default:
        return choose.below(file.size());
    }
}

} // namespace

TEST_CASE("whatever an executable file says, it is recognised or told why not") {
    const std::string whole = contents_of(TOFT_TRY_TARGET), path = scratch("program");
    const auto found = read_elf_file(TOFT_TRY_TARGET);
    REQUIRE(found);
    CHECK_FALSE(found->interpreter.empty());
    CHECK_FALSE(found->libraries.empty());
    write_to(path, whole);
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    toft_test::run_seeds(500, 20, [&](std::uint64_t seed) {
        choices choose(seed);
        std::string changed = whole;
        for (std::size_t left = 1 + choose.below(4); left != 0; --left) {
            const std::size_t at = place_in(whole, choose) & ~std::size_t{7};
            const std::uint64_t number = odd_number(choose, whole.size());
            const std::size_t size = std::size_t{1} << choose.below(4);
            std::memcpy(changed.data() + at, &number, std::min(size, changed.size() - at));
        }
        if (choose.one_in(4)) changed.resize(choose.below(changed.size()));
        write_to(path, changed);
        CAPTURE(seed);
        CHECK_NOTHROW(read_elf_file(path));
        CHECK_NOTHROW(recognise_program(path));
    });
}
