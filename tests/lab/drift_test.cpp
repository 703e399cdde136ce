// SPDX-License-Identifier: MIT
#include "result/drift.hpp"
#include "result/verdict.hpp"
#include "rows.hpp"

#include <doctest/doctest.h>

using namespace toft::lab;

namespace {

// One process, of one phase in so many rounds.
suite_result suite_of(const std::vector<std::uint64_t> &round_ns) {
    row r = row_of({});
    measurement m;
    unsigned round = 0;
    for (const std::uint64_t ns : round_ns)
        m.phases.push_back({"work", ++round, 100, 0, {ns, ns, 0, 0, {}}});
    r.samples = {m, m, m};
    judge(r);
    suite_result s;
    s.name = "made";
    s.cases = {{"case", "case"}};
    s.rows.push_back(std::move(r));
    return s;
}

} // namespace

TEST_CASE("rounds of one process that differ are told, round by round") {
    const suite_result s = suite_of({9'000'000, 1'000'000, 2'000'000, 4'000'000});
    REQUIRE(drifts_of(s).size() == 1);
    CHECK(drifts_of(s).front().slowest_to_fastest() == doctest::Approx(4));
    CHECK(describe_drifts(s) ==
          "made: 1 figure differs by more than 30 % between the later rounds of a process; the "
          "worst: made, subject, work: 1.00, 2.00, 4.00 ms.");
}

TEST_CASE("rounds that agree, a first round that is cold, and short ones aren't told") {
    CHECK(describe_drifts(suite_of({9'000'000, 1'000'000, 1'200'000})).empty());
    CHECK(describe_drifts(suite_of({9'000'000, 1'000'000})).empty());
    CHECK(describe_drifts(suite_of({9'000, 1'000, 4'000})).empty());
}
