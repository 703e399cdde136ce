// SPDX-License-Identifier: MIT
// What docs/your-own-subject.md shows, as it shows it.
#include "command.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

TEST_CASE("a suite in one file is measured like the others") {
    const std::string json = scratch("words.json");
    const run_result r = run_shell("'" TOFT_WITH_WORDS "' bench words --size 10000 --json " + json);
    CAPTURE(r.err);
    CHECK(r.status == 0);
    CHECK(contains(r.out, "words: a list of words, CPU ns for each operation"));
    const auto rows = nlohmann::json::parse(contents_of(json))["suites"][0]["rows"];
    CHECK(rows.size() >= 2);
    for (const auto &row : rows) {
        CHECK(row["problem"] == "");
        CHECK(row["figures"].size() == 6);
        const bool on_heap = row["subject"] == "malloc";
        CHECK(row["counted"]["heap"]["allocations"] == (on_heap ? 30'000 : 0));
    }
    CHECK(contains(run_shell("'" TOFT_WITH_WORDS "' bench --list").out, "words"));
    CHECK_FALSE(contains(run_toft("bench --list").out, "words: build"));
}

TEST_CASE("a malloc in one file is measured beside the others") {
    const std::string json = scratch("bump.json");
    const run_result r = run_toft("bench tree --size 8 --filter malloc/ --allocators glibc "
                                  "--preload 'bump=" TOFT_BUMP_MALLOC "' --json " +
                                  json);
    CAPTURE(r.err);
    CHECK(r.status == 0);
    CHECK(contains(r.out, "malloc (bump)"));
    const auto rows = nlohmann::json::parse(contents_of(json))["suites"][0]["rows"];
    CHECK(rows.size() == 2);
    CHECK(rows[1]["allocator"] == "bump");
    CHECK(rows[1]["problem"] == "");
}
