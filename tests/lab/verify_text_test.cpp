// SPDX-License-Identifier: MIT
#include "command.hpp"
#include "printed.hpp"
#include "verify/verify_text.hpp"

#include <doctest/doctest.h>

using namespace toft::lab;

TEST_CASE("toft verify names a place without a line by its file") {
    const symbol_source symbols = [](const recorded_module &, std::uint64_t address) {
        return std::vector<source_place>{{"serve", "/src/server.c", address == 1 ? 0U : 7U}};
    };
    use_after_end found;
    found.made.frames = {{{}, 1}};
    found.used.frames = {{{}, 2}};
    verified_run run;
    run.processes = run.placed = 1;
    run.findings = {found};
    const std::string text =
        printed_by([&](printer &out) { print_verified(run, advice(), symbols, out); });
    CHECK(contains(text, "serve (server.c)\n"));
    CHECK(contains(text, "serve (server.c:7)\n"));
}
