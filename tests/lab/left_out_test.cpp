// SPDX-License-Identifier: MIT
// What an arena leaves out, because it would keep its dead, and what it would cost there.
#include "planted_program.hpp"
#include "right_answers.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <optional>
#include <utility>
#include <vector>

using namespace toft::lab;

namespace {

// Each call of parse has two batches of nodes, of 12 kB and 4 kB, and for each node some texts of
// 600 bytes that come and go one by one: before the next one comes, or after it.
advice advice_for_batches(unsigned texts_for_each, bool overlap) {
    planted_program p;
    const planted_program::object table = p.make(1, 100'000);
    for (int round = 0; round != 40; ++round)
        p.call("parse", 10, [&] {
            std::optional<planted_program::object> last;
            for (int batch = 0; batch != 2; ++batch) {
                std::vector<planted_program::object> nodes;
                const unsigned many = batch == 0 ? 30 : 10;
                for (unsigned n = 0; n != many + many * texts_for_each; ++n) {
                    if (n % (texts_for_each + 1) == 0) {
                        p.call("new_node", 2, [&] { nodes.push_back(p.make(2, 400)); });
                        continue;
                    }
                    const auto before = std::exchange(last, std::nullopt);
                    if (before && !overlap) p.free(4, *before);
                    p.call("new_text", 3, [&] { last = p.make(2, 600); });
                    if (before && overlap) p.free(4, *before);
                }
                if (last && !overlap) p.free(4, *std::exchange(last, std::nullopt));
                for (const planted_program::object node : nodes) p.free(6, node);
            }
            if (last) p.free(4, *last);
        });
    p.free(12, table);
    const advice_report report = advise({p.recorded()}, p.symbols());
    REQUIRE(!report.lines.empty());
    return report.lines.front();
}

} // namespace

TEST_CASE(
    "planted programs: what bloats an arena is left out of it, and what it would cost is known") {
    const advice one = advice_for_batches(1, false);
    CHECK_MESSAGE(is_right(one, {"new_node", remedy::arena, "parse", 1600}), words_of(one));
    CHECK(one.lives == 80);
    REQUIRE(one.left_out);
    CHECK(one.left_out->number == 2); // "leave them"
    CHECK(one.left_out->objects == 1600);
    CHECK(one.left_out->peak_percent.low == doctest::Approx(-15).epsilon(.1)); // 17 of 113 kB
    CHECK(one.left_out->peak_percent.high == 0);
    CHECK_FALSE(advice_for_batches(12, false).left_out);    // more than the program has
    const advice overlapping = advice_for_batches(1, true); // it would live through both batches
    CHECK_MESSAGE(overlapping.lives == 80, words_of(overlapping));
    CHECK_FALSE(overlapping.left_out);
}

TEST_CASE("planted programs: beside what mostly grows, other objects have an arena of their own") {
    planted_program p;
    for (int request = 0; request != 500; ++request) {
        p.call("build", 3, [&] {
            const planted_program::object text = p.make(4, 16);
            std::vector<planted_program::object> parts;
            for (int i = 0; i != 8; ++i) parts.push_back(p.make(5, 24));
            for (std::uint64_t n = 2; n != 12; ++n) p.resize(6, text, 16 * n);
            for (const planted_program::object part : parts) p.free(7, part);
            p.free(8, text);
        });
        p.free(9, p.make(9, 5000));
    }
    const advice_report report = advise({p.recorded()}, p.symbols());
    const auto arena = std::ranges::find(report.lines, remedy::arena, &advice::what);
    REQUIRE(arena != report.lines.end());
    CHECK(arena->scope.function == "build");
    CHECK(arena->objects == 4000);
    CHECK(arena->lives == 500);
    CHECK(std::ranges::find(report.lines, remedy::reserve, &advice::what) != report.lines.end());
}
