// SPDX-License-Identifier: MIT
// Advice to change what calls malloc, where many lines go through it.
#include "advice/advice.hpp"
#include "advice/others.hpp"
#include "analysed.hpp"
#include "planted_program.hpp"
#include "sketches.hpp"

#include <doctest/doctest.h>
#include <set>
#include <string>
#include <vector>

using namespace toft::lab;

TEST_CASE("planted programs: what calls malloc for many lines is changed instead of the lines") {
    const auto advice_with = [](const std::string &wrapper, int lines, bool keeps = false) {
        planted_program p;
        std::vector<planted_program::object> kept;
        for (int request = 0; request != 50; ++request)
            p.call("serve", 3, [&] {
                std::vector<planted_program::object> parts;
                p.call("parse", 4, [&] {
                    for (int i = 0; i != 100; ++i)
                        p.call("node_" + std::to_string(i % lines), 5, [&] {
                            p.call(wrapper, 6, [&] { parts.push_back(p.make(7, 64)); });
                        });
                    p.call("scan", 8, [&] {
                        planted_program::object text = 0;
                        p.call(wrapper, 9, [&] { text = p.make(7, 1000); });
                        if (keeps)
                            kept.push_back(text);
                        else
                            p.free(10, text);
                    });
                });
                for (const planted_program::object part : parts) p.free(9, part);
            });
        for (const planted_program::object text : kept) p.free(10, text);
        return advise({p.recorded()}, p.symbols()).lines.at(0);
    };
    const advice a = advice_with("js_malloc", 4);
    REQUIRE(a.wrappers.size() == 1);
    CHECK(a.wrappers[0].function == "js_malloc");
    CHECK(a.others_by_hook == 50);
    CHECK(a.other_bytes_by_hook == 50 * 1000);
    INFO(a.sketch);
    CHECK(with_comments_beside(a.sketch).find(
              "js_malloc, and what frees and resizes, call toft_current_alloc or "
              "_calloc, _free and _resize\n") != std::string::npos);
    CHECK(a.sketch.find("toft_new") == std::string::npos);
    CHECK(a.beside_hook == 0);
    REQUIRE(a.peak_percent_with_others);
    CHECK(a.peak_percent_with_others->low < a.peak_percent.low);
    // It can't tell what outlives the call from the rest.
    const advice beside_kept = advice_with("js_malloc", 4, true);
    CHECK(beside_kept.wrappers.empty());
    CHECK(beside_kept.others_by_hook == 0);
    CHECK(beside_kept.sketch.find("toft_new") != std::string::npos);
    CHECK(advice_with("js_malloc", 3).wrappers.empty()); // three lines are as soon changed
    CHECK(advice_with("make", 4).wrappers.empty());
}

TEST_CASE("planted programs: one odd object doesn't hide what calls malloc for all others") {
    const auto advice_with = [](int odd) {
        planted_program p;
        p.call("serve", 3, [&] {
            std::vector<planted_program::object> parts;
            for (int i = 0; i != odd; ++i) parts.push_back(p.make(4, 64)); // by serve itself
            for (int i = 0; i != 5000; ++i)
                p.call("node_" + std::to_string(i % 4), 5,
                       [&] { p.call("xmalloc", 6, [&] { parts.push_back(p.make(7, 64)); }); });
            for (const planted_program::object part : parts) p.free(9, part);
        });
        return advise({p.recorded()}, p.symbols()).lines.at(0);
    };
    const advice a = advice_with(1);
    REQUIRE(a.wrappers.size() == 1);
    CHECK(a.wrappers[0].function == "xmalloc");
    CHECK(a.beside_hook == 1);
    CHECK(advice_with(60).wrappers.empty());
}

TEST_CASE("planted programs: what many call, each for a size of its own, only calls malloc") {
    const auto advice_with = [](std::size_t callers, std::size_t step, bool by_line = false) {
        planted_program p;
        for (int request = 0; request != 50; ++request)
            p.call("serve", 3, [&] {
                std::vector<planted_program::object> parts;
                for (std::size_t i = 0; i != 100; ++i)
                    p.call("node_" + std::to_string(i % callers), 5, [&] {
                        p.call("grab", 6, [&] {
                            const std::size_t which = i % callers;
                            const auto line = static_cast<std::uint32_t>(by_line ? which : 0);
                            parts.push_back(p.make(7 + line, 64 + which * step));
                        });
                    });
                for (const planted_program::object part : parts) p.free(9, part);
            });
        return advise({p.recorded()}, p.symbols()).lines.at(0);
    };
    const advice a = advice_with(8, 16);
    CHECK(a.made.size() == 8);
    CHECK(a.made[0].by.function == "node_0");
    REQUIRE(a.made[0].way.size() == 1);
    CHECK(a.made[0].way[0].function == "grab");
    REQUIRE(a.wrappers.size() == 1);
    CHECK(a.wrappers[0].function == "grab");
    CHECK(advice_with(8, 0).made.size() == 1);                     // it makes nodes
    CHECK(advice_with(8, 16, true).made[0].by.function == "grab"); // of several kinds
    CHECK(advice_with(7, 16).made.size() == 1);
}

TEST_CASE("planted programs: before an arena is reset, it is no longer current") {
    const auto sketch_in = [](const std::string &function) {
        planted_program p;
        p.call(function, 3, [&] {
            for (int round = 0; round != 50; ++round) {
                std::vector<planted_program::object> parts;
                for (int i = 0; i != 100; ++i)
                    p.call("node_" + std::to_string(i % 4), 5,
                           [&] { p.call("xmalloc", 6, [&] { parts.push_back(p.make(7, 64)); }); });
                for (const planted_program::object part : parts) p.free(9, part);
            }
        });
        return advise({p.recorded()}, p.symbols()).lines.at(0).sketch;
    };
    const std::string in_c = sketch_in("run"), in_cpp = sketch_in("app::run");
    CAPTURE(in_c);
    const std::size_t push = in_c.find("toft_current_push("), pop = in_c.find("toft_current_pop(");
    const std::size_t reset = in_c.find("toft_arena_reset(");
    REQUIRE(reset != in_c.npos);
    CHECK(push < pop);
    CHECK(pop < reset);
    CHECK(reset < in_c.find("toft_arena_release("));
    CHECK(in_c.find("// where each round begins; xmalloc, and what frees") != in_c.npos);
    CHECK(in_c.find("// where each round ends\n") != in_c.npos);
    CAPTURE(in_cpp);
    CHECK(with_comments_beside(in_cpp).find("toft::use use(arena); // in a block for each round, "
                                            "which ends before the reset; xmalloc, ") !=
          in_cpp.npos);
    CHECK(in_cpp.find("arena.reset();") != in_cpp.npos);
}

TEST_CASE("planted programs: a library of one header may have a hook, which its lines don't show") {
    const auto sketch_with = [](const std::string &maker) {
        planted_program p;
        p.call("run", 3, [&] {
            for (int round = 0; round != 50; ++round) {
                std::vector<planted_program::object> parts;
                for (int i = 0; i != 100; ++i)
                    p.call(maker, 5, [&] { parts.push_back(p.make(7, 64)); });
                for (const planted_program::object part : parts) p.free(9, part);
            }
        });
        program_symbols symbols = p.symbols();
        symbols.places = [known = symbols.places](const recorded_module &m, std::uint64_t at) {
            std::vector<source_place> found = known(m, at);
            for (source_place &place : found)
                if (place.function.find("parse") != std::string::npos) place.file = "lib/parse.h";
            return found;
        };
        return advise({p.recorded()}, symbols).lines.at(0).sketch;
    };
    const std::string hint = "or, if parse.h is a library that takes functions for memory, by "
                             "those: see docs/adopting.md";
    CHECK(with_comments_beside(sketch_with("parse_text")).find(hint) != std::string::npos);
    CHECK(sketch_with("make_text").find("is a library") == std::string::npos);
    CHECK(sketch_with("app::parse").find("is a library") == std::string::npos);
}

TEST_CASE("planted programs: a library in C++, or one that makes what must live on, has no hook") {
    struct library {
        std::string way = "lib_malloc";
        int kept = 0;        // that outlive a request, and come the same way
        int passing = 0;     // that come and go one by one meanwhile
        bool in_cpp = false; // by its names
    };
    const auto advice_of = [](const library &with) {
        planted_program p;
        const std::string prefix = with.in_cpp ? "lib::" : "lib_";
        std::vector<planted_program::object> kept;
        const auto make = [&](std::uint64_t bytes) {
            p.enter(with.way, 6);
            const planted_program::object made = p.make(7, bytes);
            p.leave();
            return made;
        };
        for (int request = 0; request != 50; ++request)
            p.call("serve", 3, [&] {
                std::vector<planted_program::object> parts;
                p.call(prefix + "parse", 4, [&] {
                    for (int i = 0; i != 100; ++i) parts.push_back(make(64));
                });
                p.call(prefix + "intern", 5, [&] {
                    for (int i = 0; i != with.kept; ++i) kept.push_back(make(16));
                });
                p.call(prefix + "scan", 6, [&] {
                    for (int i = 0; i != with.passing; ++i) p.free(8, make(1000));
                });
                for (const planted_program::object part : parts) p.free(9, part);
            });
        for (const planted_program::object text : kept) p.free(10, text);
        recording r = p.recorded();
        r.modules[0].path = "/usr/lib/libplanted.so.2";
        const advice_report report = advise({r}, p.symbols());
        for (const advice &a : report.lines)
            if (a.what == remedy::arena && a.scope.function == "serve") return a;
        FAIL("no arena");
        return advice{};
    };
    const advice a = advice_of({});
    CHECK(a.in_library);
    CHECK(a.sketch.find("the library's hook for memory calls") != a.sketch.npos);
    CHECK(advice_of({.kept = 1}).others_outliving == 50); // less than one in a hundred
    const advice passing = advice_of({.passing = 3});
    CHECK(passing.in_library);
    CHECK(passing.others_by_hook == 150);
    REQUIRE(passing.peak_percent_with_others);

    const auto has_none = [](const advice &found) {
        CAPTURE(found.sketch);
        CHECK_FALSE(has_hook(found));
        CHECK(found.sketch.find("toft_current_push") == found.sketch.npos);
        CHECK(found.others_by_hook == 0);
        CHECK(found.others_outliving == 0);
        CHECK_FALSE(found.peak_percent_with_others);
        CHECK(found.peak_percent.low > -100);
    };
    has_none(advice_of({.kept = 2}));
    has_none(advice_of({.passing = 100})); // the peak would be many times as large
    const advice by_new = advice_of({.way = "operator new", .in_cpp = true});
    has_none(by_new);
    CHECK(by_new.sketch.find("arena.make<T>();") != by_new.sketch.npos);
}

TEST_CASE("the recordings are read once for all lines to whose peaks others add") {
    planted_program p;
    const auto make_and_free = [&](int count, std::uint64_t bytes) {
        std::vector<planted_program::object> made;
        for (int i = 0; i != count; ++i) made.push_back(p.make(7, bytes));
        for (const planted_program::object o : made) p.free(8, o);
    };
    for (int kind = 1; kind != 4; ++kind)
        p.call("make_" + std::to_string(kind), 3,
               [&] { make_and_free(kind * 10, static_cast<std::uint64_t>(kind) * 100); });
    const recording r = p.recorded();
    analysed found = analyse(r);
    const std::vector<std::uint32_t> nodes = found.tree.merge(r);
    const std::set<std::uint32_t> none;
    const findings known{found.tree, found.all, found.regions, {0, 1e9}, false, none};
    int reads = 0;
    const each_recording read = [&](const auto &look) { look(r, nodes), ++reads; };

    std::vector<std::uint32_t> sites;
    for (std::uint32_t site = 0; site != found.all.sites.size(); ++site)
        if (found.all.sites[site].objects != 0) sites.push_back(site);
    REQUIRE(sites.size() == 3);
    std::vector<advice> lines(4);
    lines[0].sites = {sites[0]}, lines[0].other_sites = {sites[1]};
    lines[1].sites = {sites[1]}, lines[1].other_sites = {sites[0], sites[2]};
    lines[2].sites = {sites[2]}; // nothing else comes into it
    lines[3].sites = {sites[2]}, lines[3].other_sites = {sites[0]};
    std::vector<advice> one_by_one = lines;
    add_peaks_with_others(lines, known, read);
    CHECK(reads == 1);
    add_peaks_with_others(lines, known, read);
    CHECK(reads == 1); // they are known
    for (std::size_t i = 0; i != lines.size(); ++i) {
        std::vector<advice> alone{one_by_one[i]};
        add_peaks_with_others(alone, known, read);
        REQUIRE(lines[i].peak_percent_with_others.has_value() == (i != 2));
        if (i == 2) continue;
        CHECK(lines[i].peak_percent_with_others->low == alone[0].peak_percent_with_others->low);
        CHECK(lines[i].peak_percent_with_others->high == alone[0].peak_percent_with_others->high);
    }
    CHECK(lines[0].others_percent != lines[3].others_percent);
}

TEST_CASE("a replayed peak takes the model's place, and the hook's others still add to it") {
    advice a;
    a.peak_percent = {-4, 0};
    a.peak_percent_with_others = interval{-6, 0};
    a.others_percent = -2;
    take_peak(a, {-11, -9}); // two points more with them
    CHECK(a.peak_percent.low == -11);
    CHECK(a.peak_percent.high == -9);
    CHECK(a.peak_percent_with_others->low == -13);
    CHECK(a.peak_percent_with_others->high == -11);
    for (int i = 0; i != 2; ++i) take_peak(a, {0, 4}); // as the program's own runs say after that
    CHECK(a.peak_percent_with_others->low == -2);
    CHECK(a.peak_percent_with_others->high == 2);
    a.peak_percent_with_others.reset();
    take_peak(a, {1, 1});
    CHECK_FALSE(a.peak_percent_with_others.has_value());
}
