// SPDX-License-Identifier: MIT
// What the page draws of a recording.
#include "advice/history.hpp"
#include "planted_program.hpp"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <map>

using namespace toft::lab;

namespace {

// All curves together, in one part of the time.
std::uint64_t live_in(const memory_history &history, std::size_t part) {
    std::uint64_t bytes = 0;
    for (const live_curve &curve : history.curves) bytes += curve.bytes.at(part);
    return bytes;
}

} // namespace

TEST_CASE("the page's history counts a resized object once, as the advice does") {
    planted_program p;
    for (int request = 0; request != 50; ++request) {
        p.call("build", 3, [&] {
            const planted_program::object growing = p.make(4, 16);
            for (const std::uint64_t bytes : {32U, 64U, 128U}) p.resize(5, growing, bytes);
            std::vector<planted_program::object> parts;
            for (int i = 0; i != 20; ++i) parts.push_back(p.make(6, 24));
            for (const planted_program::object part : parts) p.free(7, part);
            p.free(8, growing);
        });
        p.free(9, p.make(9, 5000));
    }
    const recording r = p.recorded();
    const advice_report report = advise({r}, p.symbols());
    const memory_history history = history_of(report, r, 0, p.symbols().places);
    CHECK(history.calls.objects == report.objects);
    CHECK(history.calls.bytes == 50 * (16 + 32 + 64 + 128 + 20 * 24 + 5000));
    // By 300 ns an event: three sizes for one event each, the last one for 41.
    CHECK(history.calls.byte_seconds ==
          doctest::Approx(50 * 300e-9 * (16 + 32 + 64 + 41 * 128 + 20 * 20 * 24 + 5000)));
    REQUIRE(report.lines.at(0).scope.function == "build");
    REQUIRE(history.regions.at(0).line == 0);
    REQUIRE(history.regions[0].bands.size() == 1); // one life so soon after the other
    CHECK(history.regions[0].bands[0].begin == 0);
    CHECK(history.regions[0].bands[0].end == doctest::Approx(history.seconds - 2 * 300e-9));
    CHECK(live_in(history, 239) == 5000); // one at a time
}

TEST_CASE("memory over time goes on until the last event, whatever that is about") {
    planted_program p;
    std::vector<planted_program::object> parts;
    for (int i = 0; i != 100; ++i) parts.push_back(p.make(1, 64));
    for (const planted_program::object part : parts) p.free(2, part);
    for (int i = 0; i != 600; ++i) p.free(3, parts.front()); // what nobody has seen made
    const recording r = p.recorded();
    const memory_history history = history_of(advise({r}, p.symbols()), r, 0, p.symbols().places);
    CHECK(live_in(history, 29) > 90 * 64); // after an eighth of the time
    CHECK(live_in(history, 239) == 0);
    for (const auto &curve : history.curves) CHECK(curve.bytes.size() == 240);
}

TEST_CASE("memory over time has what lived shorter than a part of it, and adds up to the peak") {
    planted_program p;
    const auto hold_for_long = [&] {
        p.call("steady", 1, [&] {
            const planted_program::object held = p.make(2, 1000);
            p.work(1'000'000'000);
            p.free(3, held);
        });
    };
    hold_for_long();
    p.call("spike", 2, [&] { p.free(5, p.make(4, 1 << 20)); });
    p.call("later", 3, [&] { // in the same part of the time, and less
        const planted_program::object growing = p.make(6, 10);
        p.resize(7, growing, 5000);
        p.free(8, growing);
    });
    hold_for_long();
    const recording r = p.recorded();
    const memory_history history = history_of(advise({r}, p.symbols()), r, 0, p.symbols().places);
    std::map<std::string, std::uint64_t> peaks;
    for (const live_curve &curve : history.curves) peaks[curve.name] = curve.peak_bytes;
    CHECK(peaks == std::map<std::string, std::uint64_t>{
                       {"steady", 1000}, {"spike", 1 << 20}, {"later", 5000}, {"all others", 0}});
    std::uint64_t most = 0;
    for (std::size_t part = 0; part != 240; ++part) most = std::max(most, live_in(history, part));
    CHECK(most == 1 << 20);
    CHECK(live_in(history, 60) == 1000);
}

TEST_CASE("what the page's drawing leaves out isn't made by those that called it") {
    planted_program p;
    constexpr int small = 1200, deep = 600;
    for (int i = 0; i != small; ++i)
        p.call("f" + std::to_string(i), 1, [&] { p.free(2, p.make(1, 16)); });
    for (int i = 0; i != deep; ++i) p.enter("again");
    p.call("deepest", 1, [&] { p.free(2, p.make(1, 1000)); });
    for (int i = 0; i != deep; ++i) p.leave();
    p.free(2, p.make(1, 100));
    const recording r = p.recorded();
    const memory_history history = history_of(advise({r}, p.symbols()), r, 0, p.symbols().places);
    CHECK(history.all_makers == small + 3);
    REQUIRE(history.makers.size() == 40);
    CHECK(history.makers[0].name == "deepest");
    CHECK(history.makers[0].bytes == 1000);
    CHECK(history.makers[0].byte_seconds == doctest::Approx(1000 * 300e-9));
    CHECK(history.makers[1].name == "main");
    CHECK(history.makers[1].bytes == 100);
    CHECK(history.makers[1].objects == 1);
    CHECK(history.makers[2].bytes == 16);
    constexpr std::uint64_t all = small * 16 + 1000 + 100;
    CHECK(history.makers[0].bytes_with_calls == 1000);
    CHECK(history.makers[1].bytes_with_calls == all);
    CHECK(history.makers[2].bytes_with_calls == 16);
    const maker_total &caller = history.makers[20]; // it makes nothing by itself
    CHECK(caller.name == "again");
    CHECK(caller.bytes == 0);
    CHECK(caller.objects == 0);
    CHECK(caller.bytes_with_calls == 1000); // once, however often it calls itself
}

TEST_CASE("what passes on the heap's memory makes nothing, on the page as in the advice") {
    planted_program p;
    std::vector<planted_program::object> parts;
    for (const std::string maker : {"first", "second"})
        p.call(maker, 1, [&] {
            p.call("std::string::append", 2,
                   [&] { p.call("operator new", 3, [&] { parts.push_back(p.make(4, 1000)); }); });
        });
    free_all(p, 5, parts);
    const recording r = p.recorded();
    const memory_history history = history_of(advise({r}, p.symbols()), r, 0, p.symbols().places);
    std::map<std::string, std::uint64_t> made, with_calls;
    for (const maker_total &m : history.makers) {
        made[m.name] = m.bytes;
        with_calls[m.name] = m.bytes_with_calls;
    }
    CHECK(made ==
          std::map<std::string, std::uint64_t>{{"first", 1000}, {"main", 0}, {"second", 1000}});
    CHECK(with_calls ==
          std::map<std::string, std::uint64_t>{{"first", 1000}, {"main", 2000}, {"second", 1000}});
    CHECK(history.all_makers == 3);
}

TEST_CASE("memory over time knows who made what on thousands of ways") {
    planted_program p;
    std::vector<planted_program::object> parts;
    constexpr int deep = 2000;
    for (int i = 0; i != deep; ++i) {
        p.enter("again");
        parts.push_back(p.make(1, 100));
    }
    for (int i = 0; i != deep; ++i) p.leave();
    free_all(p, 2, parts);
    const recording r = p.recorded();
    const memory_history history = history_of(advise({r}, p.symbols()), r, 0, p.symbols().places);
    REQUIRE(history.curves.size() == 2);
    CHECK(history.curves[0].name == "again");
    CHECK(history.curves[0].peak_bytes == deep * 100);
    CHECK(history.curves[1].peak_bytes == 0); // all others
}

TEST_CASE("the page's history of a sampled recording is of what its objects stand for") {
    planted_program p;
    p.free(2, p.make(1, 100));
    const planted_program::object kept = p.make(1, 100);
    p.resize(3, kept, 300); // which could have chosen it, too
    p.free(2, p.make(1, 8 << 20));
    recording r = p.recorded();
    r.sampled_bytes = 1 << 20;
    const double small = r.weight_of(100), grown = r.weight_of(300), large = r.weight_of(8 << 20);
    CHECK(small == doctest::Approx(10'486.3));
    CHECK(large == doctest::Approx(1.0003).epsilon(1e-4));
    CHECK(recording().weight_of(100) == 1);
    const advice_report report = advise({r}, p.symbols());
    const memory_history history = history_of(report, r, 0, p.symbols().places);
    CHECK(history.calls.objects == std::llround(small + grown + large));
    CHECK(history.calls.bytes == std::llround(200 * small + 300 * grown + large * (8 << 20)));
    CHECK(report.objects == doctest::Approx(small + grown + large).epsilon(.05));
    REQUIRE(history.makers.size() == 1);
    CHECK(history.makers[0].objects == history.calls.objects);
    // By 300 ns an event: of each size, one event but for the one that is kept until the end.
    CHECK(history.calls.byte_seconds ==
          doctest::Approx(300e-9 * (200 * small + 2 * 300 * grown + large * (8 << 20))));
    CHECK(live_in(history, 239) == doctest::Approx(300 * grown + large * (8 << 20)).epsilon(.01));
}
