// SPDX-License-Identifier: MIT
// The words of toft advise, for reports made by hand.
#include "advice/advice_text.hpp"
#include "advice/percent.hpp"
#include "advice_said.hpp"
#include "command.hpp"
#include "printed.hpp"

#include <cstdint>
#include <doctest/doctest.h>
#include <utility>

using namespace toft::lab;

namespace {

advice_report some_objects() {
    advice_report report;
    report.program = "prog";
    report.objects = 1000;
    return report;
}

// One object of so many that a place makes.
escaping_objects one_of(std::uint64_t objects, source_place by, source_place freed_by) {
    escaping_objects one;
    one.made.by = std::move(by);
    one.made.objects = objects;
    one.escaping = 1;
    one.freed_by = std::move(freed_by);
    return one;
}

advice an_arena(interval cpu_percent = {3, 6}) {
    advice a;
    a.what = remedy::arena;
    a.cpu_percent = cpu_percent;
    return a;
}

} // namespace

TEST_CASE("advice in words: a range that crosses zero is more and less, not a negative gain") {
    advice_report report = some_objects();
    report.mallocs = {{"fast", {6, 9}, {-4, -3}}, {"wide", {-12, 49}, {-1, 1}}};
    advice a;
    a.what = remedy::arena;
    a.objects = 1000;
    a.cpu_percent = {-40, 39};
    report.lines = {a};
    std::string said = said_of(report);
    CHECK(contains(said, "Linking fast alone gains 6.0 to 9.0 % of CPU time, peak memory 3.0 to "
                         "4.0 % more."));
    CHECK(contains(said, "CPU time under other mallocs: wide 12 % more to 49 % less "
                         "(peak memory 1.0 % more to 1.0 % less)."));
    CHECK(!contains(said, "don't tell it from")); // the middle of wide, 19 %, isn't in fast
    CHECK(contains(said, "Expected: CPU time 40 % more to 39 % less."));
    std::swap(report.mallocs[0], report.mallocs[1]);
    said = said_of(report);
    CHECK(contains(said, "No other malloc alone gains CPU time for sure. CPU time under other "
                         "mallocs: wide 12 % more to 49 % less (peak memory 1.0 % more to 1.0 % "
                         "less), fast 6.0 to 9.0 % less (peak memory 3.0 to 4.0 % more)."));
    report.mallocs = {
        {"one", {20, 40}, {0, 0}}, {"two", {16, 36}, {0, 0}}, {"far", {9, 19}, {0, 0}}};
    CHECK(contains(said_of(report), "of CPU time, peak memory as before. Replays don't "
                                    "tell it from two."));
    CHECK(contains(said_of(report), "The gains are estimates. `toft try"));
    for (malloc_gain &m : report.mallocs) m.measured = true;
    said = said_of(report);
    CHECK(contains(said, "The program was run under each malloc. Linking one alone gains 20 to 40 "
                         "% of CPU time, peak memory as before. Runs don't tell it from "
                         "two."));
    CHECK(contains(said, "The gains of changes are estimates;"));
}

TEST_CASE(
    "advice in words: of mallocs that gain as much, the one that takes less memory is named") {
    advice_report report = some_objects();
    report.malloc_first = report.malloc_beyond_all = true;
    report.mallocs = {{"fast", {4, 10}, {-7, -7}}, {"small", {3, 9}, {10, 10.4}}};
    const std::string said = said_of(report);
    CHECK(contains(
        said, "CPU time under other mallocs: small 3.0 to 9.0 % less (peak memory 10 % less)."));
    CHECK(contains(said, "Link fast (small for less memory): that alone promises more than any"));
    report.mallocs[1].cpu_percent = {0, 5}; // which is told apart
    CHECK(contains(said_of(report), "Link fast: that alone"));
    report.mallocs[1] = {"small", {3, 9}, {-4, -3}};
    CHECK(contains(said_of(report), "Link fast: that alone"));
}

TEST_CASE("advice in words: what a hook places too is told") {
    advice_report report = some_objects();
    advice a = an_arena();
    a.objects = 1000;
    a.bytes = 100000;
    a.wrappers = {{"xmalloc", "memory.c", 0}};
    a.lives = 5;
    a.others_by_hook = 1200;
    a.other_bytes_by_hook = 65536;
    a.replayed.emplace();
    a.replayed->frees_kept = {4, 8};
    a.replayed->frees_hooked = interval{2, 6};
    a.replayed->frees_dropped = interval{5, 9};
    report.lines = {a};
    std::string said = said_of(report);
    CHECK(contains(said, "2.0 to 6.0 % less through what calls malloc, 5.0 to 9.0 % less when"));
    CHECK_FALSE(contains(said, "stays with malloc"));
    CHECK(contains(said, "By way of what calls malloc, 1,200 other objects that are made meanwhile "
                         "come into it too, 64 KiB in all 5 times. The memory above is without "
                         "them. They take"));
    report.lines[0].beside_hook = 1;
    report.lines[0].peak_percent_with_others = interval{-36, 0};
    said = said_of(report);
    CHECK(contains(said,
                   "1 of them is made on another way than by what calls malloc: it stays with "
                   "malloc and free. By way of"));
    CHECK(contains(said, "without them; with them: peak memory up to 36 % more. They take"));
    report.lines[0] = a;
    report.lines[0].wrappers.clear();
    report.lines[0].in_library = true;
    report.lines[0].others_by_hook = report.lines[0].lives = 1;
    CHECK(contains(said_of(report), "By way of the library's hook, 1 other object that is made "
                                    "meanwhile comes into it too, 64 KiB. The memory above is "
                                    "without it."));
    report.lines[0].other_bytes_by_hook = 2000;
    CHECK(!contains(said_of(report), "into it too"));
    report.lines[0].others_outliving = 3;
    CHECK(contains(said_of(report), "3 of them live longer: where those are made, another strategy "
                                    "must be current."));
}

TEST_CASE("advice in words: where a gain comes from is told") {
    constexpr const char *by_model = "That is a model's estimate, which no replay has confirmed.";
    constexpr const char *in_program = "The program was run with these objects in an arena.";
    advice_report report = some_objects();
    report.replay_left_out = "there was no time";
    report.lines = {an_arena()};
    CHECK(contains(said_of(report), by_model));
    report.lines[0].replayed.emplace();
    CHECK(!contains(said_of(report), by_model));
    CHECK(!contains(said_of(report), in_program));
    CHECK(!contains(said_of(report), "in the program itself"));
    report.lines[0].not_in_program = "the program has several threads";
    CHECK(contains(
        said_of(report),
        "It couldn't be measured in the program itself: the program has several threads."));
    report.lines[0].not_in_program.clear();
    report.lines[0].replayed->in_program = true;
    CHECK(contains(said_of(report), in_program));
}

TEST_CASE("advice in words: what can't be worth a change is told by its headline") {
    advice_report report = some_objects();
    advice small = an_arena({0, 1.9}), costly = small, smaller = small;
    small.objects = costly.objects = smaller.objects = 1000;
    small.number = 7;
    small.sketch = "toft_arena arena = TOFT_ARENA_INIT;\n";
    report.lines = {small, an_arena()};
    const std::string said = said_of(report);
    CHECK(contains(said, "Hardly worth a change 7. An arena for the program's whole life for 1,000 "
                         "objects: CPU time 0.0 to 1.9 % less"));
    CHECK(!contains(said, "TOFT_ARENA_INIT"));
    report.lines = {an_arena({0, 3.5})}; // by a model
    CHECK(contains(said_of(report), "Hardly worth a change"));
    report.lines[0].replayed.emplace();
    CHECK_FALSE(contains(said_of(report), "Hardly worth a change"));
    report.lines = {an_arena({0, 4.5})};
    CHECK_FALSE(contains(said_of(report), "Hardly worth a change"));
    smaller.peak_percent = {-1, 10};
    costly.left_out.emplace().worth_its_memory = true;
    report.lines = {smaller, costly};
    CHECK(!contains(said_of(report), "Hardly worth"));
    CHECK(contains(said_of(report), "less, peak memory 1.0 % more to 10 % less."));
}

TEST_CASE("advice in words: some objects that are never freed are counted") {
    advice_report report = some_objects();
    report.lines = {an_arena()};
    advice &a = report.lines[0];
    a.objects = 1000;
    a.never_freed = 990;
    CHECK(contains(said_of(report), "990 of them are never freed."));
    a.never_freed = 1;
    CHECK(contains(said_of(report), "1 of them is never freed."));
    a.never_freed = 0;
    CHECK(!contains(said_of(report), "never freed"));
}

TEST_CASE("advice in words: what rounds to nothing is no gain and no loss") {
    advice_report report = some_objects();
    report.mallocs = {{"even", {-.02, .03}, {0, 0}},
                      {"faster", {-.03, 2}, {0, 0}},
                      {"slower", {-2, .04}, {0, 0}}};
    const std::string said = said_of(report);
    CAPTURE(said);
    CHECK(contains(said, "even as before, faster 0.0 to 2.0 % less, slower 0.0 to 2.0 % more."));
}

TEST_CASE("advice in words: each way to keep or drop the frees has its own range") {
    advice_report report = some_objects();
    advice a = an_arena({1, 23});
    a.objects = 1000;
    a.replayed = {{11, 16}, interval{1, 4}, interval{12, 23}};
    a.in_library = true;
    report.lines = {a};
    const std::string said = said_of(report);
    CHECK(contains(said, "CPU time 11 to 16 % less when each free stays and does nothing, 1.0"));
    CHECK(contains(said, "to 4.0 % less through a library's hook for memory, 12 to 23 % less"));
    report.lines[0].in_library = false; // the program's own text needs no hook
    CHECK(contains(said_of(report), "11 to 16 % less when each free stays and does nothing, 12"));
    CHECK_FALSE(contains(said_of(report), "hook"));
    report.lines[0].replayed = {{3, 5}, {}, {}};
    report.lines[0].cpu_percent = {3, 5};
    CHECK(contains(said_of(report), "Expected: CPU time 3.0 to 5.0 % less."));
}

TEST_CASE("advice in words: a malloc promises more than changes only where ranges don't overlap") {
    advice_report report = some_objects();
    report.mallocs = {{"fast", {17, 35}, {}}};
    report.lines = {an_arena({15, 23})};
    report.malloc_first = true;
    std::string said = said_of(report);
    CHECK(contains(said, "Link fast: that alone promises as much as any change that was found"));
    CHECK_FALSE(contains(said, "no change was run"));
    report.mallocs[0].measured = true;
    CHECK(contains(said_of(report), "that was found, but no change was run in the program"));
    report.lines[0].replayed = {{15, 23}, {}, {}};
    report.lines[0].replayed->in_program = true;
    CHECK_FALSE(contains(said_of(report), "no change was run"));
    report.malloc_beyond_all = true;
    CHECK(contains(said_of(report), "that alone promises more than any change that was found"));
}

TEST_CASE("advice in words: a setting isn't to be linked") {
    advice_report report = some_objects();
    report.mallocs = {{"glibc huge pages", {6, 9}, {}, "A=1"}};
    report.malloc_first = report.malloc_beyond_all = true;
    const std::string said = said_of(report);
    CHECK(contains(said, "Running it with A=1 alone gains 6.0 to 9.0 % of CPU time"));
    CHECK(contains(said, "Run it with A=1: that alone promises more than any change"));
    CHECK_FALSE(contains(said, "Link"));
}

TEST_CASE("advice in words: what is never freed has no frees that could stay or go") {
    advice_report report = some_objects();
    advice a = an_arena({29, 33});
    a.objects = 100;
    a.replayed = {{29, 33}, {}, interval{29, 33}};
    report.lines = {a};
    CHECK(contains(said_of(report), "33 % less when the frees go"));
    report.lines[0].never_freed = 100;
    CHECK(contains(said_of(report), "Expected: CPU time 29 to 33 % less."));
}

TEST_CASE("advice in words: a change that wasn't replayed is told as a model's estimate") {
    advice_report report = some_objects();
    report.lines = {an_arena({3, 11})};
    CHECK_FALSE(contains(said_of(report), "a model's estimate")); // without replays, all are
    report.replay_left_out = "there was no time";
    CHECK(contains(said_of(report),
                   "less. That is a model's estimate, which no replay has confirmed."));
    report.lines[0].replayed = replayed_change{{29, 33}, {}, {}};
    CHECK_FALSE(contains(said_of(report), "a model's estimate"));
    report.lines = {an_arena({0, 95})};
    CHECK(contains(said_of(report), "CPU time less by an unknown share."));
    CHECK_FALSE(contains(said_of(report), "a model's estimate")); // nothing is estimated
    report.lines[0].peak_percent = {-8, 0};
    CHECK(contains(said_of(report), "up to 8.0 % more. That is a model's estimate,"));
}

TEST_CASE("advice in words: of a line, it is said where its other objects are") {
    advice_report report = some_objects();
    advice changed = an_arena();
    changed.number = 1;
    changed.made.emplace_back();
    changed.made[0].by = {"new_node", "tree.c", 7};
    changed.made[0].objects = 2000;
    changed.made[0].smallest = changed.made[0].largest = 8;
    advice left = changed;
    left.number = 2;
    left.what = remedy::leave;
    left.made[0].objects = 3000;
    report.lines = {changed, left};
    const std::string said = said_of(report);
    CHECK(contains(said, "(tree.c:7): 2,000 of 8 bytes; 3,000 in advice 2 are made there too, "
                         "on another way"));
    CHECK_FALSE(contains(said, "in 1 are made"));
    CHECK_FALSE(contains(said, "changed the order"));
    report.lines.push_back(left);
    report.lines.back().number = 3;
    CHECK(contains(said_of(report), "; 3,000 in advice 2 and 3,000 in advice 3 are made"));
    report.lines.pop_back();
    report.lines[1].what = remedy::reserve; // of what may be the same objects
    CHECK(contains(said_of(report), "; 3,000 that are made there grow: do advice 2 first"));
    CHECK(contains(said_of(report), "; advice 1 is about this line too: do this one first"));
    CHECK_FALSE(contains(said_of(report), "on another way"));
    std::swap(report.lines[0], report.lines[1]);
    CHECK(contains(said_of(report), "Replays have changed the order, but not the numbers"));
}

TEST_CASE("advice in words: where they die is told by its line, or not twice") {
    advice_report report = some_objects();
    advice a = an_arena();
    a.objects = 10;
    a.scope.function = "serve";
    a.end = {"serve", "", 0};
    report.lines = {a};
    CHECK(contains(said_of(report), "They all die in serve."));
    report.lines[0].end = {"serve", "s.c", 9};
    CHECK(contains(said_of(report), "They all die in serve, most of them at serve (s.c:9)."));
}

TEST_CASE("advice in words: each size has its unit") {
    advice_report report = some_objects();
    const auto sizes_of = [&](std::uint64_t smallest, std::uint64_t largest) {
        advice a = an_arena();
        a.smallest = smallest;
        a.largest = largest;
        report.lines = {a};
        return said_of(report);
    };
    CHECK(contains(sizes_of(4, 147'456), "They take 4 bytes to 144 KiB, "));
    CHECK(contains(sizes_of(40, 96), "They take 40 to 96 bytes, "));
    CHECK(contains(sizes_of(20'480, 147'456), "They take 20 to 144 KiB, "));
    CHECK(contains(sizes_of(8, 8), "They take 8 bytes, "));
    CHECK(contains(sizes_of(1, 1), "They take 1 byte, "));
    CHECK(contains(sizes_of(1, 8), "They take 1 to 8 bytes, "));
    CHECK(contains(sizes_of(1, 5'354'000), "They take 1 byte to 5.1 MiB, "));
}

TEST_CASE("advice in words: where no object was seen, nothing is advised") {
    advice_report report = some_objects();
    report.objects = 0;
    CHECK(contains(said_of(report), "Nothing can be said: no object was seen"));
    report = advise({}, {});
    CHECK_FALSE(report.leave_it);
    CHECK_FALSE(contains(said_of(report), "as it is"));
}

TEST_CASE("advice in words: of objects that are to be left, it is said how many live longer") {
    advice_report report = some_objects();
    advice a;
    a.function = 1;
    a.scope = {"serve", "", 0};
    a.objects = 6000;
    report.lines = {a};
    CHECK_FALSE(contains(said_of(report), "outlives"));
    report.lines[0].escaping = 1;
    report.lines[0].escapes = {one_of(6000, {"serve", "s.c", 7}, {"main", "s.c", 36})};
    CHECK(contains(said_of(report), "1 of them lives longer:"));
    CHECK(contains(said_of(report), "serve (s.c:7): 1 of 6,000, freed by main (s.c:36)"));
    CHECK_FALSE(contains(said_of(report), "made there"));
}

TEST_CASE("advice in words: where calls can't be told apart, what outlives them is a lower bound") {
    advice_report report = some_objects();
    advice a = an_arena();
    a.function = 1;
    a.escaping = 1;
    a.escapes = {one_of(5000, {"make_last", "prev.c", 7}, {"main", "prev.c", 36})};
    report.lines = {a};
    CHECK(contains(said_of(report), "1 object made there lives longer: keep that out of it."));
    report.lines[0].escaping = 0;
    CHECK(contains(said_of(report), "Nothing that is made there outlives it."));
    report.lines[0].may_escape_unseen = true;
    CHECK(contains(said_of(report), "No object was seen to outlive it, but calls of it that follow "
                                    "each other may look like one here: toft verify tells."));
    CHECK_FALSE(contains(said_of(report), "Nothing that is made"));
    report.lines[0].escaping = 1;
    CHECK(contains(said_of(report), "make_last (prev.c:7): 1 of 5,000, freed by main (prev.c:36)"));
    CHECK_FALSE(contains(said_of(report), "and some from"));
    report.lines[0].more_escapes = 2;
    CHECK(contains(said_of(report), "freed by main (prev.c:36) and some from 2 more lines"));
    report.lines[0].escapes.resize(7, report.lines[0].escapes[0]);
    CHECK(contains(said_of(report), "and some from 4 more lines"));
    report.lines[0].escapes.resize(1);
    report.lines[0].escapes[0].at_least = true;
    const std::string said = said_of(report);
    CHECK(contains(said, "At least 1 object made there lives longer: keep out of it what"));
    CHECK(contains(said, "make_last (prev.c:7): at least 1 of 5,000, freed by main (prev.c:36)"));
}

TEST_CASE("advice in words: where the model exceeds the program's time, only the low end is told") {
    advice_report report = some_objects();
    const interval beyond = percent_of({.3, 7}, {.9, 1});
    report.mallocs = {{"fast", beyond, {}}, {"slow", {-beyond.high, -beyond.low}, {}}};
    advice a;
    a.what = remedy::arena;
    a.cpu_percent = beyond;
    report.lines = {a};
    std::string said = said_of(report);
    CHECK(contains(said, "Linking fast alone gains at least 30 % of CPU time"));
    CHECK(contains(said, "slow at least 30 % more."));
    CHECK(contains(said, "Expected: CPU time at least 30 % less."));
    CHECK_FALSE(contains(said, "95 %"));
    report.mallocs[0].peak_percent = {-173, -171}; // memory has no such end
    CHECK(contains(said_of(report), "of CPU time, peak memory 171 to 173 % more."));
    report.lines[0].cpu_percent = percent_of({0, 7}, {1, 1}); // nothing is known
    CHECK(contains(said_of(report), "Expected: CPU time less by an unknown share."));
}
