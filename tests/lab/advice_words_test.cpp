// SPDX-License-Identifier: MIT
#include "advice/advice_words.hpp"

#include <doctest/doctest.h>

using namespace toft::lab;

namespace {

advice arena_of(unsigned number, const char *maker, std::uint64_t escaping) {
    advice a;
    a.number = number;
    a.what = remedy::arena;
    a.scope.function = "serve";
    a.function = 1;
    a.objects = 100;
    a.cpu_percent = {5, 9};
    made_objects made;
    made.by.function = maker;
    made.objects = 100;
    a.made = {made};
    a.escaping = escaping;
    escaping_objects escaped;
    escaped.made = made;
    escaped.escaping = escaping;
    if (escaping != 0) a.escapes = {escaped};
    return a;
}

} // namespace

TEST_CASE("a program whose command isn't known is told as the program") {
    advice_report report;
    CHECK(words_of(report).program == "The program");
    report.program = "server";
    CHECK(words_of(report).program == "server");
}

TEST_CASE("members of a template without debug information are lines of their own") {
    advice_report report;
    report.objects = 200;
    report.lines = {arena_of(1, "Tree<int>::insert", 0), arena_of(2, "Tree<int>::copy", 0),
                    arena_of(3, "Tree<long>::copy", 0)};
    const report_words words = words_of(report);
    REQUIRE(words.lines.size() == 3);
    CHECK(words.lines[0].makers.at(0).others.empty());
    CHECK(words.lines[1].makers.at(0).others ==
          "100 in advice 3 are made there too, on another way");
}

TEST_CASE("the advices that are about one line too are told by number, and many without counts") {
    advice_report report;
    report.objects = 700;
    // Replays have changed the order. The third has two ways to the line.
    report.lines = {arena_of(1, "make", 0), arena_of(7, "make", 0), arena_of(3, "make", 0)};
    report.lines[2].made.push_back(report.lines[2].made[0]);
    const auto others = [&] { return words_of(report).lines.at(0).makers.at(0).others; };
    CHECK(others() == "200 in advice 3 and 100 in advice 7 are made there too, on another way");
    report.lines.push_back(arena_of(5, "make", 0));
    report.lines.push_back(arena_of(2, "make", 0));
    CHECK(others() == "objects of advice 2, 3, 5 and 7 are made there too, on other ways");
    report.lines[3].what = remedy::reserve;
    CHECK(others() == "objects of advice 2, 3 and 7 are made there too, on other ways; "
                      "100 that are made there grow: do advice 5 first");
    report.lines[0].what = remedy::reserve;
    CHECK(others() == "100 that are made there grow: do advice 5 first; "
                      "advice 2 is about this line too: do this one first; "
                      "advice 3 is about this line too: do this one first; "
                      "advice 7 is about this line too: do this one first");
}

TEST_CASE("what the page lays out by itself stands apart from the sentences") {
    advice_report report;
    report.objects = 200;
    report.lines = {arena_of(1, "make", 7)};
    const advice_words line = words_of(report).lines.at(0);
    CHECK(line.headline == "1. An arena in serve for 100 objects");
    CHECK(line.gain == "CPU time 5.0 to 9.0 % less");
    CHECK(line.origin.empty()); // no replay was asked for
    CHECK(line.function == "serve");
    const paragraph &escaping = line.fate.back();
    CHECK(escaping.text == "7 objects made there live longer: keep them out of it.");
    REQUIRE(escaping.items.size() == 1);
    CHECK(escaping.items[0] == "make: 7 of 100, never freed");
    report.replay_left_out = "there was no time";
    CHECK(words_of(report).lines.at(0).origin ==
          "That is a model's estimate, which no replay has confirmed.");
}
