// SPDX-License-Identifier: MIT
#include "command.hpp"
#include "rows.hpp"
#include "show/conclusion.hpp"
#include "show/page_data.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace toft::lab;

namespace {

struct made {
    suite_result result;

    made() {
        result.name = "made";
        result.cases = {{"one", "one"}, {"two", "two"}};
    }
    row &add(const char *case_name, const char *subject, std::vector<std::uint64_t> ns) {
        row r = row_of(std::move(ns));
        r.case_name = case_name;
        r.subject = subject;
        r.is_toft = r.subject.starts_with("toft");
        result.rows.push_back(std::move(r));
        return result.rows.back();
    }
};

} // namespace

TEST_CASE("who won, and by how much over the best of the other side") {
    made m;
    m.add("one", "toft::arena", {100, 100, 100});
    m.add("one", "toft::arena, vectors", {110, 110, 110}); // no rival of the arena's
    m.add("one", "malloc", {300, 300, 300});
    m.add("one", "slow", {900, 900, 900});
    CHECK(conclusion_of(m.result) == "toft::arena is ahead in 1 of 1 comparisons, 3.0 times as "
                                     "fast as the best of the others.");
}

TEST_CASE("a lead far beyond a wide spread is one, though not told by how much") {
    made m;
    m.add("one", "toft::arena", {100, 110, 150});
    m.add("one", "malloc", {900, 700, 500});
    CHECK(conclusion_of(m.result) == "toft::arena is ahead in 1 of 1 comparisons.");
    m.add("two", "toft::arena", {100, 100, 100});
    m.add("two", "malloc", {300, 300, 300});
    CHECK(conclusion_of(m.result) ==
          "toft::arena is ahead in 2 of 2 comparisons; where steady (1), 3.0 times as fast as "
          "the best of the others.");
}

TEST_CASE("where Toft loses, that is said") {
    made m;
    m.add("one", "toft::arena", {100, 100, 100});
    m.add("one", "malloc", {300, 300, 300});
    m.add("two", "toft::arena", {400, 400, 400});
    m.add("two", "malloc", {200, 200, 200});
    const std::string said = conclusion_of(m.result);
    CHECK(said.find("ahead in 1 of 2 comparisons") != std::string::npos);
    CHECK(said.find("Toft is behind in 1 of 2: made two, first round (2.0 times: malloc)") !=
          std::string::npos);
}

TEST_CASE("nobody wins by noise, a yardstick doesn't compete, and an elided row isn't there") {
    made m;
    m.add("one", "toft::arena", {100, 200, 300});
    m.add("one", "malloc", {300, 300, 300});
    CHECK(conclusion_of(m.result) ==
          "Nothing differs by more than noise, as far as so many processes tell.");
    made n;
    n.add("one", "toft::arena", {100, 100, 100});
    n.add("one", "raw", {50, 50, 50}).competes = false;
    n.add("one", "removed", {1, 1, 1}).judged = verdict::elided;
    CHECK(conclusion_of(n.result) ==
          "Nothing to compare. 1 of 3 rows failed or were elided: removed.");
}

TEST_CASE("nothing is concluded from fewer than three processes") {
    made m;
    m.add("one", "toft::arena", {100, 100});
    m.add("one", "malloc", {300, 300, 300});
    CHECK(conclusion_of(m.result) ==
          "Nothing can be concluded from fewer than 3 processes for each row.");
    m.add("two", "toft::arena", {100, 100, 100});
    m.add("two", "malloc", {300, 300, 300});
    CHECK(conclusion_of(m.result).ends_with("the best of the others. 1 of too few processes."));
}

TEST_CASE("a noisy row has won only when each of its processes beats each of the other's") {
    made m;
    m.add("one", "toft::arena", {100, 200, 420});
    m.add("one", "malloc", {400, 900, 1600});
    CHECK(conclusion_of(m.result).starts_with("Nothing differs"));
}

TEST_CASE("rows that failed are named beside who won") {
    made m;
    m.add("one", "toft::arena", {100, 100, 100});
    m.add("one", "malloc", {300, 300, 300});
    row &crashing = m.add("one", "crashing", {});
    crashing.judged = verdict::failed;
    crashing.problem = "crashed";
    CHECK(conclusion_of(m.result).ends_with("1 of 3 rows failed or were elided: crashing."));
}

TEST_CASE("a row that failed wins nothing, though it has figures") {
    made m;
    m.add("one", "toft::arena", {100, 100, 100});
    row &cheating = m.add("one", "cheating", {10, 10, 10});
    cheating.judged = verdict::failed;
    cheating.problem = "does other work when it is timed";
    CHECK(conclusion_of(m.result) ==
          "Nothing to compare. 1 of 2 rows failed or were elided: cheating.");
}

TEST_CASE("rows that an interrupt came before haven't failed") {
    made m;
    m.add("one", "toft::arena", {100, 100, 100});
    m.add("one", "malloc", {300, 300, 300});
    m.add("one", "later", {}).judged = verdict::failed; // as judge() has it: no figures
    CHECK(conclusion_of(m.result).ends_with("the best of the others. 1 of 3 rows weren't "
                                            "measured."));
}

TEST_CASE("a case that has one process by design isn't counted among the comparisons") {
    made m;
    m.add("one", "toft::arena", {100, 100, 100});
    m.add("one", "malloc", {300, 300, 300});
    m.add("two", "toft::arena", {100});
    m.add("two", "malloc", {300});
    CHECK(contains(conclusion_of(m.result), "1 of 2 comparisons"));
    m.result.cases.back().once = true;
    CHECK(contains(conclusion_of(m.result), "1 of 1 comparisons"));
}

TEST_CASE("without Toft, the best is compared with the next") {
    made m;
    m.add("one", "a", {100, 100, 100});
    m.add("one", "b", {200, 200, 200});
    CHECK(conclusion_of(m.result) ==
          "Ahead in 1 of 1 comparisons: made one, first round (2.0 times: a).");
}

TEST_CASE("Toft's own malloc is named where it wins, and isn't told as another's") {
    made m;
    m.add("one", "toft::arena", {400, 400, 400});
    row &own = m.add("one", "malloc + free", {200, 200, 200});
    own.by_allocator = true;
    own.allocator = "toft-malloc";
    m.add("one", "malloc", {900, 900, 900});
    const std::string said = conclusion_of(m.result);
    CHECK_MESSAGE(contains(said, "Toft is behind in 1 of 1: made one, first round (2.0 times: "
                                 "malloc + free by Toft's own malloc)"),
                  said);
    bench_result whole;
    whole.suites = {m.result};
    const auto rows = page_data(whole, page_samples::left_out)["suites"][0]["rows"];
    CHECK(rows[0]["side"] == "toft");
    CHECK(rows[1]["side"] == "toft");
    CHECK(rows[2]["side"] == "other");
}
