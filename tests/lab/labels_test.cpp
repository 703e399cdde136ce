// SPDX-License-Identifier: MIT
// The names and titles of what is measured, as tables and the report show them: a stranger must
// understand them, and what they say of rounds must be what their figures are made of.
#include "subject/registry.hpp"

#include <algorithm>
#include <cctype>
#include <doctest/doctest.h>
#include <set>
#include <string>
#include <vector>

using namespace toft::lab;

namespace {

std::vector<const suite *> listed_suites() {
    std::vector<const suite *> found;
    for (const suite &s : all_suites())
        if (!s.hidden) found.push_back(&s);
    return found;
}

std::vector<std::string> labels_of(const suite &s) {
    std::vector<std::string> all = {s.name, s.summary, s.size.unit};
    for (const bench_case &c : s.cases)
        all.insert(all.end(), {c.name, c.title, c.header, c.family});
    for (const subject &one : s.subjects) all.push_back(one.name);
    for (const suite_table &t : s.tables) {
        all.push_back(t.heading);
        for (const table_column &c : t.columns) all.insert(all.end(), {c.header, c.group});
    }
    return all;
}

std::vector<std::string> words_of(const std::string &text) {
    std::vector<std::string> words(1);
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalnum(byte) != 0)
            words.back() += static_cast<char>(std::tolower(byte));
        else if (!words.back().empty())
            words.emplace_back();
    }
    return words;
}

bool says(const std::string &text, const std::string &word) {
    const std::vector<std::string> words = words_of(text);
    return std::find(words.begin(), words.end(), word) != words.end();
}

// Words that mean something only to those who made the thing, or before it had its name.
bool is_of_insiders(const std::string &word) {
    static const std::set<std::string> words = {
        "seed", "seeds", "experiment", "experiments", "prototype", "legacy", "old",  "ours",
        "our",  "mine",  "my",         "issue",       "todo",      "wip",    "tmp",  "foo",
        "bar",  "baz",   "variant",    "v0",          "v1",        "v2",     "impl", "session"};
    return words.contains(word);
}

// Whether the column shows timings of these rounds alone. A column of the whole process shows none.
bool is_within(const table_column &c, unsigned first, unsigned last) {
    return c.of.phases.empty() || (c.of.first_round >= first && c.of.last_round <= last);
}

} // namespace

TEST_CASE("labels have no word that only insiders understand") {
    REQUIRE(listed_suites().size() >= 8);
    for (const suite *s : listed_suites())
        for (const std::string &label : labels_of(*s))
            for (const std::string &word : words_of(label)) {
                CAPTURE(s->name);
                CAPTURE(label);
                CHECK_FALSE(is_of_insiders(word));
            }
    CHECK(is_of_insiders(words_of("Seed 4's list").front()));
    CHECK_FALSE(says("Go, GOEXPERIMENT=arenas", "experiment")); // the name of Go's setting
}

TEST_CASE("a label says by itself what it is, and no two are the same") {
    for (const suite *s : listed_suites()) {
        CAPTURE(s->name);
        CHECK_FALSE(s->summary.empty());
        std::set<std::string> titles, names;
        for (const bench_case &c : s->cases) {
            CAPTURE(c.title);
            CHECK_FALSE(c.title.empty());
            CHECK(c.title.find("the same") == std::string::npos); // as what? It stands alone
            CHECK(titles.insert(c.title).second);
        }
        for (const suite_table &t : s->tables)
            CHECK(t.heading.find(": the same") == std::string::npos);
        for (const subject &one : s->subjects) CHECK(names.insert(one.name).second);
    }
}

TEST_CASE("nothing is called a limit that no allocator reaches: only measurements can say so") {
    for (const suite *s : listed_suites()) {
        std::vector<std::string> texts = labels_of(*s);
        texts.push_back(s->note);
        for (const suite_table &t : s->tables) texts.push_back(t.note);
        for (const std::string &text : texts) {
            CAPTURE(text);
            CHECK_FALSE(says(text, "physical"));
            CHECK_FALSE(says(text, "unreachable"));
            CHECK((!says(text, "limit") || text == "trees-memory-limit")); // Go's GOMEMLIMIT
        }
    }
}

TEST_CASE("what is called cold is a process's first round, and what is called warm isn't") {
    constexpr unsigned last = ~0U;
    std::size_t cold = 0, warm = 0;
    for (const suite *s : listed_suites())
        for (const suite_table &t : s->tables)
            for (const table_column &c : t.columns) {
                CAPTURE(t.heading);
                CAPTURE(c.header);
                if (says(t.heading, "cold") || c.group == "fresh" || c.header == "first") {
                    ++cold;
                    CHECK(is_within(c, 1, 1));
                }
                if (says(t.heading, "warm") || says(t.heading, "reused") || c.group == "reused" ||
                    c.group == "aged" || c.header == "later") {
                    ++warm;
                    CHECK(is_within(c, 2, last));
                }
            }
    CHECK(cold > 10);
    CHECK(warm > 10);
}
