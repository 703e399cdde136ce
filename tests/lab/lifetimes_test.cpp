// SPDX-License-Identifier: MIT
// The parts below the advice: the table, the tree, scopes, regions' memory.
#include "advice/advice_text.hpp"
#include "advice/estimates.hpp"
#include "analysed.hpp"
#include "planted_program.hpp"
#include "printed.hpp"
#include "record/address_map.hpp"

#include <doctest/doctest.h>
#include <random>
#include <stdexcept>
#include <unordered_map>

using namespace toft::lab;

namespace {

const site_lifetimes &only_site(const lifetimes &all) {
    for (std::uint32_t node = 0; node != all.sites.size(); ++node)
        if (all.sites[node].objects != 0) return all.sites[node];
    throw std::logic_error("no site has objects");
}

} // namespace

TEST_CASE("of the nodes of a tree, those that made no objects take no memory as sites") {
    site_table sites;
    sites.make_room(4);
    site_lifetimes &made = sites.made_by(2);
    made.objects = 5;
    sites.make_room(9);
    for (std::uint32_t node = 3; node != 9; ++node) sites.made_by(node).objects = node;
    CHECK(&sites.made_by(2) == &made);
    CHECK(sites[2].objects == 5);
    CHECK(sites[8].objects == 8);
    CHECK(sites[0].objects == 0);
    CHECK(&sites[0] == &sites[1]);
    CHECK(sites.size() == 9);
}

TEST_CASE("an address map keeps what a standard one keeps, through removals") {
    address_map<std::uint64_t> map;
    std::unordered_map<std::uint64_t, std::uint64_t> model;
    std::mt19937_64 chance(7);
    for (int i = 0; i != 200'000; ++i) {
        const std::uint64_t key = 16 * (1 + chance() % 5000);
        std::uint64_t *found = map.find(key);
        REQUIRE((found != nullptr) == model.contains(key));
        if (found) {
            REQUIRE(*found == model[key]);
            map.erase(found);
            model.erase(key);
        } else {
            map.insert(key, chance());
            model[key] = *map.find(key);
        }
        REQUIRE(map.size() == model.size());
    }
    std::size_t seen = 0;
    map.for_each([&](std::uint64_t key, std::uint64_t value) { seen += model.at(key) == value; });
    CHECK(seen == model.size());
}

TEST_CASE("a stack's frames stay while its lines change") {
    planted_program p;
    p.call("f", 3, [&] {
        p.free(5, p.make(1, 8));
        p.free(5, p.make(2, 8));
    });
    const recording r = p.recorded();
    stack_tree tree;
    tree.merge(r);
    const std::uint32_t first = p.events()[0].stack, second = p.events()[2].stack;
    CHECK(first != second);
    CHECK(tree[first].frame == tree[second].frame);
    CHECK(tree.same_function(first, second));
    CHECK(tree.ancestor(second, 1) == tree[second].parent);
}

TEST_CASE("recordings are merged by build id, wherever the file was") {
    planted_program p;
    p.call("f", 3, [&] { p.free(5, p.make(1, 8)); });
    recording here = p.recorded(), there = p.recorded(), other = p.recorded();
    there.modules[0].path = "/elsewhere";
    other.modules[0].build_id = "ef01";
    stack_tree tree;
    const auto nodes = tree.merge(here);
    CHECK(tree.merge(there) == nodes);
    CHECK(tree.merge(other) != nodes);
    const advice_report report = advise({here, there}, p.symbols());
    CHECK(report.recordings == 2);
    CHECK(report.objects == 2);
    CHECK(report.threads == 1); // of each
}

TEST_CASE("of the lines that make an arena's objects, that of the most bytes is among the first") {
    planted_program p;
    for (int request = 0; request != 50; ++request)
        p.call("serve", 3, [&] {
            std::vector<planted_program::object> parts{p.make(30, 20'000)};
            for (std::uint32_t line = 10; line != 16; ++line)
                for (std::uint32_t i = 0; i != line; ++i) parts.push_back(p.make(line, 48));
            for (const planted_program::object part : parts) p.free(40, part);
        });
    const advice a = advise({p.recorded()}, p.symbols()).lines.at(0);
    REQUIRE(a.made.size() == 7);
    CHECK(a.made[0].by.line == 15);
    CHECK(a.made[told_lines - 1].by.line == 30);
    CHECK(a.made[told_lines].by.line == 11);
}

TEST_CASE("stacks that come before their callers are refused") {
    planted_program p;
    p.free(2, p.make(1, 8));
    recording r = p.recorded();
    r.stacks[1].parent = 1;
    stack_tree tree;
    CHECK_THROWS_AS(tree.merge(r), std::runtime_error);
    r.stacks[1] = {0, 9, 1, 1};
    CHECK_THROWS_AS(tree.merge(r), std::runtime_error);
}

TEST_CASE("the scope is the innermost call that went on from the allocation to the free") {
    planted_program p;
    planted_program::object o = 0;
    p.call("outer", 1, [&] {
        p.call("maker", 2, [&] { o = p.make(1, 24); });
        p.call("freer", 3, [&] { p.free(1, o); });
    });
    const analysed a = analyse(p.recorded());
    CHECK(only_site(a.all).scope() == 2); // main is 1
}

TEST_CASE("a call that was left and made again isn't the same call") {
    planted_program p;
    planted_program::object o = 0;
    p.call("f", 1, [&] { o = p.make(1, 24); });
    SUBCASE("seen outside of it") {
        p.free(5, p.make(4, 8));
        p.call("f", 1, [&] { p.free(2, o); });
        CHECK(only_site(analyse(p.recorded()).all).scope() == 1);
    }
    SUBCASE("in another call of its caller") {
        p.call("f", 2, [&] { p.free(2, o); });
        CHECK(only_site(analyse(p.recorded()).all).scope() == 1);
    }
    SUBCASE("on another thread, which isn't outside") {
        p.on_thread(1);
        p.free(5, p.make(4, 8));
        p.on_thread(0);
        p.call("f", 1, [&] { p.free(2, o); });
        CHECK(only_site(analyse(p.recorded()).all).scope() == 2);
    }
}

TEST_CASE("resized objects stay their first site's, freed or not") {
    planted_program p;
    const auto o = p.make(1, 16);
    p.resize(2, o, 100);
    p.free(3, o);
    p.resize(2, p.make(1, 16), 40);
    const analysed a = analyse(p.recorded());
    const site_lifetimes &s = only_site(a.all);
    CHECK(s.objects == 2);
    CHECK(s.resizes == 2);
    CHECK(s.never_freed == 1);
    CHECK(s.largest == 100);
    CHECK(s.peak_live_bytes == 100);
    CHECK(s.scope() == 0);
}

TEST_CASE("an object whose free nobody saw is lost, and its site's scope with it") {
    planted_program p;
    recording r;
    p.call("f", 1, [&] {
        p.make(1, 16);
        p.free(2, p.make(1, 32));
    });
    r = p.recorded();
    auto events = p.events();
    events[1].address = events[0].address; // given out again
    events[2].address = events[0].address;
    r.for_each = [events](const auto &take) { take(events); };
    stack_tree tree;
    lifetimes all;
    const auto nodes = tree.merge(r);
    add_lifetimes(all, r, tree, nodes);
    CHECK(only_site(all).never_freed == 1);
    CHECK(only_site(all).scope() == 0);
}

TEST_CASE("a region's memory: lives, peaks, and growth in place") {
    planted_program p;
    for (int life = 0; life != 3; ++life)
        p.call("f", 1, [&] {
            const auto a = p.make(1, 1000);
            const auto b = p.make(2, 3000);
            p.resize(3, b, 4000); // it is the last, so that it grows where it is
            p.resize(4, a, 2000); // this one moves
            p.free(5, a);
            p.free(6, b);
        });
    const analysed a = analyse(p.recorded());
    REQUIRE(a.regions.size() == 1);
    const found_region &r = a.regions[0];
    CHECK(r.sites.size() == 2);
    CHECK(r.lives == 3);
    CHECK(r.objects == 6);
    CHECK(r.most_objects == 2);
    CHECK(r.needed_peak_bytes == 6000);
    CHECK(r.arena_peak_bytes == 1000 + 4000 + 2000);
    CHECK(r.malloc_peak_bytes == 2016 + 4016);
}

TEST_CASE("a way that lets an object escape below any caller is no region's") {
    planted_program p;
    planted_program::object kept = 0;
    for (int i = 0; i != 10; ++i)
        p.call("tidy", 1, [&] { p.call("parse", 1, [&] { p.free(3, p.make(2, 64)); }); });
    p.call("careless", 2, [&] { p.call("parse", 1, [&] { kept = p.make(2, 64); }); });
    p.free(3, kept);
    // In tidy, all that parse makes dies in parse; but parse can't have an arena, and tidy can.
    const analysed a = analyse(p.recorded());
    bool in_tidy = false;
    for (const found_region &r : a.regions)
        for (const owned_site &s : r.sites)
            if (s.site == p.events()[0].stack) in_tidy = s.scope == a.tree.ancestor(s.site, 2);
    CHECK(in_tidy);
}

TEST_CASE("several runs: an escape in one of them counts in all") {
    const auto run = [](bool escapes) {
        planted_program p;
        planted_program::object last = 0;
        for (int i = 0; i != 50; ++i)
            p.call("serve", 1, [&] {
                for (int n = 0; n != 50; ++n) {
                    last = p.make(2, 64);
                    if (!escapes || i != 20 || n != 49) p.free(3, last);
                }
            });
        p.make(5, 8); // outside, so that the last call is seen to end
        return p;
    };
    const planted_program tidy = run(false), careless = run(true);
    REQUIRE(!advise({tidy.recorded()}, tidy.symbols()).lines.empty());
    CHECK(advise({tidy.recorded()}, tidy.symbols()).lines[0].what == remedy::inline_buffer);
    const advice_report both = advise({tidy.recorded(), careless.recorded()}, tidy.symbols());
    for (const advice &a : both.lines)
        if (a.scope.function == "serve") CHECK(a.what == remedy::leave);
}

TEST_CASE("a sampled recording gives no regions, and says why") {
    planted_program p;
    for (int i = 0; i != 100; ++i) p.call("f", 1, [&] { p.free(2, p.make(1, 64)); });
    recording r = p.recorded();
    r.sampled_bytes = 1 << 19;
    const advice_report report = advise({r}, p.symbols());
    CHECK(report.lines.empty());
    REQUIRE(report.remarks.size() == 1);
    CHECK(report.remarks[0].find("--sample") != std::string::npos);
}

TEST_CASE("what a sampled recording says of the program is what its objects stand for") {
    planted_program p;
    std::vector<planted_program::object> kept;
    for (int i = 0; i != 1000; ++i) {
        kept.push_back(p.make(1, 100));
        p.free(2, p.make(1, 100));
    }
    recording r = p.recorded();
    r.sampled_bytes = 1 << 20;
    const advice_report report = advise({r}, p.symbols());
    CHECK(report.objects == 21'000'000); // each of the 2000 stands for 10,486
    CHECK(report.peak_live_bytes == std::uint64_t{1000} << 20);
    const std::string said = printed_by([&](printer &out) { print_advice(report, out); });
    CHECK(said.find("about 21,000,000 objects") != std::string::npos);
    CHECK(said.find("about 1000 MiB at the peak") != std::string::npos);
    CHECK(said.find("An arena") == std::string::npos);
}

TEST_CASE("a recorded time whose ends look alike is told as one") {
    planted_program p;
    p.free(2, p.make(1, 64));
    recording r = p.recorded();
    r.time = program_time{};
    r.time->least_ns = 19'000'000;
    r.time->most_ns = 21'000'000;
    const advice_report report = advise({r}, p.symbols(), 5.);
    REQUIRE(!report.remarks.empty());
    CHECK(report.remarks[0].starts_with("The recording says 0.02 s, and 5 s was"));
}

TEST_CASE("an empty recording says nothing, not even to leave it") {
    const advice_report report =
        advise({planted_program().recorded()}, planted_program().symbols());
    CHECK(report.objects == 0);
    CHECK_FALSE(report.leave_it);
    CHECK(report.lines.empty());
}
