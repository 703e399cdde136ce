// SPDX-License-Identifier: MIT
// What toft advise says where a few objects are unlike the others.
#include "advice/advice.hpp"
#include "advice/sketch.hpp"
#include "advice_said.hpp"
#include "command.hpp"
#include "planted_program.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

using namespace toft::lab;

namespace {

using made_parts = std::vector<planted_program::object>;

advice_report report_of_arena() {
    advice_report report;
    report.program = "prog";
    report.objects = 1000;
    advice &a = report.lines.emplace_back();
    a.what = remedy::arena;
    a.objects = 1000;
    a.cpu_percent = {3, 6};
    return report;
}

std::string first_sketch_of(const planted_program &p) {
    return advise({p.recorded()}, p.symbols()).lines.at(0).sketch;
}

void has_words(const std::string &text, std::string_view words) {
    CHECK_MESSAGE(text.find(words) != text.npos, text);
}

} // namespace

TEST_CASE("planted programs: a leak is one also where a tenth is freed") {
    for (const int freed : {20, 2000}) {
        planted_program p;
        std::vector<planted_program::object> all;
        for (int i = 0; i != 10'000; ++i)
            p.call("handle", 3, [&] { all.push_back(p.make(5, 40)); });
        for (int i = 0; i != freed; ++i) p.free(9, all[static_cast<std::size_t>(i)]);
        const advice a = advise({p.recorded()}, p.symbols()).lines.at(0);
        CHECK(a.never_freed == 10'000U - static_cast<unsigned>(freed));
        CHECK(a.grows_until_exit == (freed == 20));
    }
}

TEST_CASE("planted programs: what malloc aligns beyond its own alignment gains more") {
    const auto gain_of = [](std::uint32_t alignment) {
        planted_program p;
        for (int request = 0; request != 50; ++request)
            p.call("serve", 3, [&] {
                std::vector<planted_program::object> parts;
                for (int i = 0; i != 100; ++i) parts.push_back(p.make_aligned(1, 64, alignment));
                for (const planted_program::object part : parts) p.free(9, part);
            });
        constexpr double seconds = .01; // of which 5,000 pairs take some 100 µs
        return advise({p.recorded()}, p.symbols(), seconds).lines.at(0).cpu_percent;
    };
    const interval plain = gain_of(16), aligned = gain_of(64);
    CHECK(aligned.low > plain.low + .5);
    CHECK(aligned.high > plain.high + 2);
}

TEST_CASE("planted programs: of a line's ways, the one of most objects is told") {
    planted_program p;
    for (int request = 0; request != 50; ++request)
        p.call("serve", 3, [&] {
            std::vector<planted_program::object> parts;
            p.call("std::vector<int>::reserve", 4, [&] { parts.push_back(p.make(1, 64)); });
            for (int i = 0; i != 64; ++i)
                p.call("operator new", 4, [&] { parts.push_back(p.make(1, 64)); });
            for (const planted_program::object part : parts) p.free(9, part);
        });
    const advice a = advise({p.recorded()}, p.symbols()).lines.at(0);
    REQUIRE(a.made.size() == 1);
    REQUIRE(a.made[0].way.size() == 1);
    CHECK(a.made[0].way[0].function == "operator new");
}

TEST_CASE("planted programs: what the lines of an arena make besides has its memory told") {
    planted_program p;
    std::vector<planted_program::object> tree;
    p.call("run", 3, [&] {
        for (int i = 0; i != 3000; ++i) {
            p.call("build", 4, [&] { p.call("node", 2, [&] { tree.push_back(p.make(7, 64)); }); });
            p.call("scan", 5, [&] { p.call("node", 2, [&] { p.free(8, p.make(7, 64)); }); });
        }
        for (const planted_program::object part : tree) p.free(9, part);
    });
    const advice_report report = advise({p.recorded()}, p.symbols());
    const auto in_run = std::ranges::find(report.lines, "run", [](const advice &a) {
        return a.what == remedy::arena ? a.scope.function : "";
    });
    REQUIRE(in_run != report.lines.end());
    CHECK(in_run->objects == 3000);
    CHECK(in_run->others_of_lines == 3000);
    REQUIRE(in_run->peak_percent_with_others);
    CHECK(in_run->peak_percent_with_others->low < in_run->peak_percent.low - 30);
}

TEST_CASE("advice in words: the memory of all that the lines make is told") {
    advice_report report = report_of_arena();
    report.lines[0].others_of_lines = 408;
    report.lines[0].peak_percent_with_others = interval{-44, 0};
    CHECK(contains(said_of(report), "Where these lines can't tell them from 408 other objects that "
                                    "they make there on another way, those come into it too: peak "
                                    "memory up to 44 % more. They take"));
    report.lines[0].others_of_lines = 20; // a fiftieth
    CHECK_FALSE(contains(said_of(report), "come into it too"));
}

TEST_CASE("advice in words: lives beside the one that has nearly all objects aren't told") {
    advice_report report = report_of_arena();
    report.lines[0].lives = 2;
    report.lines[0].most_in_a_life = 900;
    CHECK(contains(said_of(report), "This happens 2 times, with up to 900 objects at a time."));
    report.lines[0].most_in_a_life = 999;
    CHECK_FALSE(contains(said_of(report), "This happens"));
}

TEST_CASE("sketch: what realloc grows knows its old size in an arena") {
    planted_program p;
    made_parts parts;
    for (int i = 0; i != 5000; ++i) parts.push_back(p.make(5, 64));
    for (int i = 0; i != 400; ++i) p.resize(6, parts[static_cast<std::size_t>(i)], 80);
    program_symbols in_files = p.symbols();
    const advice a = advise({p.recorded()}, in_files).lines.at(0);
    REQUIRE(a.what == remedy::arena);
    has_words(a.sketch, "bytes = toft_arena_resize(&arena, bytes, old_n, n, 16);");
    advice in_two = a;
    in_two.made.push_back(in_two.made[0]);
    CHECK(toft::lab::sketch_of(in_two, in_two.made, false).find("extern") == std::string::npos);
    in_two.made[1].by.file = "other.c";
    has_words(toft::lab::sketch_of(in_two, in_two.made, false), "extern toft_arena arena;");
}

TEST_CASE("sketch: no name is declared twice") {
    advice a;
    a.what = remedy::arena;
    a.scope = {"app::work", "work.cpp", 0};
    a.cpp = true;
    made_objects by_malloc, by_new;
    by_malloc.by = by_new.by = {"app::work", "work.cpp", 7};
    by_malloc.objects = by_new.objects = 100;
    by_malloc.smallest = by_malloc.largest = by_new.smallest = by_new.largest = 8;
    by_new.way = {{"operator new(unsigned long)", "", 0}};
    has_words(sketch_of(a, std::vector{by_new, by_malloc}, true),
              "auto *object = arena.make<T>();  // where `new T` was; no delete\n"
              "auto *object2 = arena.make<T>(); // where malloc(sizeof(T)) was; no free\n");
    made_objects aligned = by_malloc;
    aligned.alignment = 64;
    a.cpp = false;
    has_words(sketch_of(a, std::vector{by_malloc, aligned}, false),
              "void *bytes2 = toft_arena_alloc(&arena, n, 64);");
}

TEST_CASE("sketch: there is none for Rust, whose own functions make no objects") {
    planted_program p;
    p.call("prog::serve", 3, [&] {
        made_parts parts;
        for (int i = 0; i != 5000; ++i)
            p.call("prog::node", 4, [&] {
                p.call("alloc::alloc::alloc", 5, [&] { parts.push_back(p.make(1, 40)); });
            });
        for (const planted_program::object part : parts) p.free(9, part);
    });
    for (const bool is_rust : {true, false}) {
        program_symbols symbols = p.symbols();
        symbols.places = [known = symbols.places, is_rust](const recorded_module &m,
                                                           std::uint64_t address) {
            std::vector<source_place> found = known(m, address);
            for (source_place &place : found) place.is_rust = is_rust;
            return found;
        };
        const advice a = advise({p.recorded()}, symbols).lines.at(0);
        CHECK((a.made[0].by.function == "prog::node") == is_rust);
        if (is_rust) CHECK(a.made[0].way.empty()); // "by way of alloc::alloc::alloc" says nothing
        CHECK((a.sketch.find("this is Rust") != std::string::npos) == is_rust);
    }
}

TEST_CASE("sketch: all containers are named, also where they make few objects") {
    planted_program p;
    for (int request = 0; request != 50; ++request)
        p.call("app::serve", 3, [&] {
            made_parts parts;
            for (int i = 0; i != 200; ++i)
                for (const std::string name : {"list", "map", "set", "deque"}) {
                    if (name == "deque" && i != 0) continue;
                    p.enter("std::" + name + "<int>::insert", 4);
                    parts.push_back(p.make(1, 40));
                    p.leave();
                }
            for (const planted_program::object part : parts) p.free(9, part);
        });
    has_words(first_sketch_of(p), "// likewise std::deque\n");
}

TEST_CASE("advice in words: what an arena leaves out is told where it is worth its memory") {
    advice_report report = report_of_arena();
    advice &part = report.lines[0];
    part.cpu_percent = {22, 45};
    left_out_objects more;
    more.number = 4;
    more.objects = 2000;
    more.peak_percent = {-17, 0};
    more.replayed = {{31, 40}, interval{1, 2}, interval{50, 57}};
    part.left_out = more;
    CHECK(!contains(said_of(report), "one by one"));
    part.left_out->worth_its_memory = true;
    CHECK(contains(said_of(report),
                   "With the 2,000 objects (4) in it too that come and go one by one: CPU time 31 "
                   "to 57 % less, peak memory up to 17 % more."));
    part.left_out->number = 0;
    CHECK(contains(said_of(report), "With the 2,000 objects in it too that"));
}

TEST_CASE("advice: an arena that more than doubles the memory says how much") {
    planted_program p;
    for (int request = 0; request != 50; ++request)
        p.call("serve", 3, [&] {
            planted_program::object last = p.make(5, 64);
            for (int i = 1; i != 60; ++i) {
                const planted_program::object next = p.make(5, 64);
                p.free(9, last);
                last = next;
            }
            p.free(9, last);
        });
    const advice a = advise({p.recorded()}, p.symbols()).lines.at(0);
    REQUIRE(a.what == remedy::arena);
    CHECK(a.region_peak_bytes == 60 * 64);
    CHECK(a.peak_percent.low == doctest::Approx(-100.0 * (60 * 64 - 2 * 80) / (2 * 80)));
}

TEST_CASE("advice: what main did once it may do for each of many inputs") {
    const auto said_with = [](int inputs, const std::string &function, bool are_freed = true) {
        planted_program p;
        const auto read_input = [&] {
            std::vector<planted_program::object> parts;
            for (int i = 0; i != 500; ++i) parts.push_back(p.make(5, 64));
            for (const planted_program::object part : parts)
                if (are_freed) p.free(9, part);
        };
        for (int i = 0; i != inputs; ++i)
            if (function == "main")
                read_input();
            else
                p.call(function, 3, read_input);
        const advice_report report = advise({p.recorded()}, p.symbols());
        REQUIRE(report.lines.at(0).what == remedy::arena);
        return said_of(report);
    };
    const char *once =
        "This happened once in what was recorded: where the program does it for each "
        "of its inputs, reset the arena there.";
    CHECK(contains(said_with(1, "main"), once));
    CHECK_FALSE(contains(said_with(3, "main"), once));
    CHECK(contains(said_with(3, "main"), "This happens 3 times"));
    CHECK_FALSE(contains(said_with(1, "read_input"), once));  // its arena ends with the call
    CHECK_FALSE(contains(said_with(1, "main", false), once)); // nothing ends there
}

TEST_CASE("advice: the lines that free the objects are named, the first three") {
    const auto advice_with = [](unsigned lines, const std::string &maker) {
        planted_program p;
        for (int request = 0; request != 50; ++request)
            p.call("serve", 3, [&] {
                std::vector<planted_program::object> parts;
                p.call(maker, 4, [&] {
                    for (unsigned i = 0; i != 90; ++i) parts.push_back(p.make(5 + i % lines, 64));
                });
                p.call("drop", 6, [&] {
                    for (unsigned i = 0; i != 90; ++i)
                        p.call("xfree", 20 + i % lines, [&] { p.free(1, parts[i]); });
                });
            });
        advice_report report = advise({p.recorded()}, p.symbols());
        REQUIRE(report.lines.at(0).what == remedy::arena);
        return report;
    };
    advice_report report = advice_with(1, "make_nodes");
    CHECK(
        contains(said_of(report), "They are freed mostly by drop (planted.c:20): these frees go."));
    report.lines[0].wrappers = {{"xmalloc", "planted.c", 0}}; // whose frees stay
    CHECK(contains(said_of(report), "They are freed mostly by drop (planted.c:20)."));
    report = advice_with(5, "make_nodes");
    REQUIRE(report.lines[0].freed_by.size() == 3);
    CHECK(report.lines[0].more_freeing == 2);
    CHECK(contains(said_of(report), "by drop (planted.c:20), drop (planted.c:21), drop "
                                    "(planted.c:22) and 2 more lines: these frees go."));
    CHECK(contains(said_of(advice_with(1, "app::make_nodes")),
                   "mostly by drop (planted.c:20): what the text itself frees or deletes there "
                   "goes."));
}

TEST_CASE("sketch: a comment that reaches too far stands above its code") {
    advice a;
    a.what = remedy::arena;
    a.scope = {"phase<int>::work", "long.cpp", 0};
    a.cpp = true;
    made_objects far;
    far.by = {"elsewhere", "long.cpp", 7};
    far.way = {{"operator new(unsigned long)", "", 0}};
    far.objects = 100;
    far.smallest = far.largest = 8;
    const std::string sketch = sketch_of(a, std::vector{far}, true);
    has_words(sketch, "#include <toft/toft.hpp>\n"
                      "// in phase<int>::work, before what uses it, which takes it as\n"
                      "// toft::arena &; its end frees what it holds\n"
                      "toft::arena arena;\n"
                      "auto *object = arena.make<T>(); // where `new T` was; no delete\n");
    std::istringstream lines(sketch);
    for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 73, line);
}

TEST_CASE("what makes and frees objects in lines that read alike is told as one line") {
    planted_program p;
    const std::string alike = std::string(60, 'a');
    for (int request = 0; request != 50; ++request)
        p.call("serve", 3, [&] {
            made_parts parts;
            for (const char *type : {"<int>", "<char>", "<long>"})
                p.call(alike + type + "::work", 4, [&] {
                    for (unsigned i = 0; i != 40; ++i) parts.push_back(p.make(14, 16 + i));
                });
            for (std::size_t i = 0; i != parts.size(); ++i)
                p.call(alike + (i % 2 ? "<int>::~" : "<char>::~"), 5, [&] { p.free(9, parts[i]); });
        });
    const advice a = advise({p.recorded()}, p.symbols()).lines.at(0);
    REQUIRE(a.what == remedy::arena);
    REQUIRE(a.made.size() == 1);
    CHECK(a.made[0].objects == a.objects);
    CHECK(a.made[0].bytes == a.bytes);
    CHECK(a.made[0].smallest == 16);
    CHECK(a.made[0].largest == 55);
    CHECK(a.sites.size() == 3); // which replays still tell apart
    CHECK(a.freed_by.size() == 1);
    CHECK(a.more_freeing == 0);
}
