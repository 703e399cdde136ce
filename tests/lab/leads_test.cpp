// SPDX-License-Identifier: MIT
// The leads that a conclusion tells, beside the tables that are printed above it.
#include "show/conclusion.hpp"
#include "show/suite_tables.hpp"
#include "subject/registry.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <random>
#include <regex>
#include <set>

using namespace toft::lab;

namespace {

// Three processes that agree, and whose rounds don't: each phase takes another time in each.
row made_row(const suite &of, const bench_case &c, std::string subject, std::mt19937_64 &random) {
    std::set<std::pair<std::string, unsigned>> timings;
    for (const suite_table &t : of.tables)
        for (const table_column &shown : t.columns)
            for (const std::string &phase : shown.of.phases)
                for (unsigned round = 1; round <= std::max(8U, shown.of.last_round); ++round)
                    timings.insert({phase, round});
    measurement m;
    for (const auto &[phase, round] : timings) {
        const std::uint64_t ns = 1'000'000 + random() % 9'000'000;
        m.phases.push_back({phase, round, 1000, 1000, {ns, ns + random() % 5'000'000, 0, 0}});
    }
    row r;
    r.case_name = c.name;
    r.is_toft = subject == "ours";
    r.subject = std::move(subject);
    r.allocator = "glibc";
    r.samples = {m, m, m};
    return r;
}

double number_in(std::string text) {
    std::erase(text, ',');
    return std::stod(text);
}

// The columns of the printed tables, each with the numbers in it.
std::vector<std::vector<double>> printed_columns(const suite &of, const suite_result &s) {
    std::vector<std::vector<double>> all;
    for (const shown_table &t : tables_of(of, s))
        for (std::size_t c = 1; c < t.lines.columns().size(); ++c) {
            all.emplace_back();
            for (const std::vector<cell> &line : t.lines.lines())
                if (line[c].exact) all.back().push_back(number_in(line[c].text));
        }
    return all;
}

// Each "2.4" before the word "times", or before "to", in the conclusion.
std::vector<std::string> leads_in(const std::string &said) {
    std::vector<std::string> found;
    static const std::regex number("([0-9]+[.]?[0-9]*) (times|to [0-9.]+ times)");
    for (std::sregex_iterator i(said.begin(), said.end(), number), end; i != end; ++i) {
        found.push_back((*i)[1]);
        if (const std::string more = (*i)[2]; more.starts_with("to "))
            found.push_back(more.substr(3, more.find(' ', 3) - 3));
    }
    return found;
}

// Whether a reader who divides two figures of one column comes to it, but for their last digits.
bool is_printed(const std::string &lead, const std::vector<std::vector<double>> &columns) {
    const double told = std::stod(lead);
    const auto point = lead.find('.');
    const double half_digit =
        point == std::string::npos ? .5 : .5 * std::pow(.1, lead.size() - point - 1);
    for (const std::vector<double> &column : columns)
        for (const double a : column)
            for (const double b : column)
                if (b > 0 && std::abs(a / b - told) <= half_digit + .01 * told) return true;
    return false;
}

} // namespace

TEST_CASE("each lead that a conclusion tells is a ratio of two figures in a column of the tables") {
    std::mt19937_64 random(1);
    for (const suite &of : all_suites()) {
        if (of.tables.empty()) continue;
        CAPTURE(of.name);
        for (const bench_case &c : of.cases) {
            if (c.once) continue;
            CAPTURE(c.name);
            for (int times = 0; times != 5; ++times) {
                suite_result s = result_of(of, of.size.quick);
                s.rows = {made_row(of, c, "ours", random), made_row(of, c, "theirs", random)};
                const std::string said = conclusion_of(s, of.tables);
                CAPTURE(said);
                const auto columns = printed_columns(of, s);
                for (const std::string &lead : leads_in(said)) {
                    CAPTURE(lead);
                    CHECK(is_printed(lead, columns));
                }
            }
        }
    }
}

TEST_CASE("the tree's later rounds are compared by the third, which its table shows") {
    const suite &tree = find_suite("tree");
    suite_result s = result_of(tree, 3);
    for (const char *subject : {"toft::arena", "malloc"}) {
        row r;
        r.case_name = "tree";
        r.subject = subject;
        r.is_toft = r.subject == "toft::arena";
        r.allocator = "glibc";
        measurement m;
        // In the second round, the arena takes as long as malloc.
        for (unsigned round = 1; round <= 3; ++round)
            for (const char *phase : {"build", "traversal", "deallocation"}) {
                const std::uint64_t ns = r.is_toft && round == 3 ? 10'000'000 : 30'000'000;
                m.phases.push_back({phase, round, 40, 40, {ns, ns, 0, 0}});
            }
        r.samples = {m, m, m};
        s.rows.push_back(r);
    }
    CHECK(conclusion_of(s, tree.tables) ==
          "toft::arena is ahead in 1 of 2 comparisons, 3.0 times as fast as the best of the "
          "others. 1 within noise.");
}

TEST_CASE("every case of a suite with tables is decided by a column of them") {
    for (const suite &of : all_suites())
        for (const bench_case &c : of.cases) {
            if (of.tables.empty() || c.once) continue;
            CAPTURE(of.name);
            CAPTURE(c.name);
            CHECK(std::any_of(of.tables.begin(), of.tables.end(), [&](const suite_table &t) {
                return shows_case(t, c.name) &&
                       std::any_of(t.columns.begin(), t.columns.end(),
                                   [](const table_column &x) { return !x.contest.empty(); });
            }));
        }
}
