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

TEST_CASE("one object is told as one") {
    advice_report report;
    CHECK(words_of(report).about.find("An arena could take") ==
          std::string::npos); // nothing: there is none
    report.objects = 3;
    advice one = arena_of(1, "make", 0), growing = arena_of(2, "make", 0);
    one.objects = one.made[0].objects = growing.made[0].objects = 1;
    one.smallest = one.largest = one.bytes = 40;
    one.others_of_lines = 1;
    one.peak_percent_with_others = {2, 2};
    one.end.function = "serve";
    one.end.line = 9;
    one.freed_by = {{"drop", "", 0}};
    report.lines = {one, growing};
    advice_words line = words_of(report).lines.at(0);
    CHECK(line.made == "It takes 40 bytes and is made by");
    CHECK(line.makers.at(0).others == "1 in advice 2 is made there too, on another way");
    CHECK(
        line.reasons.at(0).text ==
        "Where these lines can't tell it from 1 other object that they make there on another way, "
        "that comes into it too: peak memory 2.0 % less.");
    CHECK(line.fate.at(0).text == "It dies in serve, at serve.");
    CHECK(line.fate.at(1).text == "It is freed mostly by drop: these frees go.");
    report.lines[1].what = remedy::reserve;
    report.lines[0].never_freed = 1;
    line = words_of(report).lines.at(0);
    CHECK(line.makers.at(0).others == "1 that is made there grows: do advice 2 first");
    CHECK(line.fate.at(0).text == "It is never freed.");
    report.lines[0].what = remedy::leave;
    report.lines[0].largest = 80; // when it has grown
    report.lines[0].bytes = 120;
    line = words_of(report).lines.at(0);
    CHECK(line.headline == "1. Leave 1 object as it is, in serve");
    CHECK(line.made == "It takes 40 to 80 bytes, 120 bytes in all, and is made by");
}
