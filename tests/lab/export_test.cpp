// SPDX-License-Identifier: MIT
// The parts of `toft export`, against recordings whose objects are known.
#include "advice/places.hpp"
#include "export/firefox_timeline.hpp"
#include "export/parquet_file.hpp"
#include "export/protobuf.hpp"
#include "export/site_totals.hpp"
#include "export/thrift.hpp"
#include "made_recording.hpp"
#include "show/utf_8.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <map>
#include <numeric>
#include <random>
#include <unistd.h>

using namespace toft::lab;

namespace {

std::vector<std::uint32_t> same_nodes(const recording &r) {
    std::vector<std::uint32_t> nodes(std::max<std::size_t>(r.stacks.size(), 1));
    std::iota(nodes.begin(), nodes.end(), 0U);
    return nodes;
}

recorded_extent tell(const recording &r, object_listener &listener) {
    return for_each_object(r, same_nodes(r), {&listener});
}

// What lives, by site, kept in the simplest way: the whole state is copied at each new peak.
struct shadow {
    std::map<std::uint32_t, held_objects> live, peak;
    double bytes = 0, peak_bytes = 0;

    void change(std::uint32_t site, double objects, double more) {
        live[site].objects += objects;
        live[site].bytes += more;
        bytes += more;
        if (bytes > peak_bytes) peak_bytes = bytes, peak = live;
    }
};

struct random_calls {
    made_recording recorded;
    shadow expected;
    std::uint64_t made_bytes = 0, left_bytes = 0;
};

random_calls make_calls(unsigned seed) {
    struct object {
        std::uint64_t bytes;
        std::uint32_t site;
    };
    random_calls c;
    std::mt19937 random(seed);
    std::map<std::uint64_t, object> live; // by address
    for (std::uint64_t i = 1; i != 5000; ++i) {
        const std::uint64_t bytes = random() % 1000, address = i * 16;
        const auto some = live.lower_bound(random() % address);
        const unsigned what = some == live.end() ? 0 : random() % 4;
        if (what < 2) {
            const auto site = static_cast<std::uint32_t>(1 + random() % 20);
            c.recorded.allocate(static_cast<std::uint32_t>(i % 3), address, bytes, site);
            live[address] = {bytes, site};
            c.made_bytes += bytes;
            c.expected.change(site, 1, static_cast<double>(bytes));
        } else if (what == 2) {
            const object o = some->second;
            c.recorded.resize(0, some->first, address, bytes);
            live.erase(some);
            live[address] = {bytes, o.site};
            c.made_bytes += bytes;
            c.expected.change(o.site, 0, static_cast<double>(bytes) - static_cast<double>(o.bytes));
        } else {
            c.recorded.free(1, some->first);
            c.expected.change(some->second.site, -1, -static_cast<double>(some->second.bytes));
            live.erase(some);
        }
    }
    for (const auto &[address, o] : live) c.left_bytes += o.bytes;
    return c;
}

} // namespace

TEST_CASE("a site's objects at the peak are those that a copy of everything would have") {
    for (unsigned seed = 1; seed != 20; ++seed) {
        const random_calls c = make_calls(seed);
        const recording r = c.recorded.made();
        site_totals totals(r.stacks.size());
        tell(r, totals);
        double made_bytes = 0;
        for (const site_total &s : totals.finish()) {
            const auto peak = c.expected.peak.find(s.site);
            const held_objects expected =
                peak == c.expected.peak.end() ? held_objects{} : peak->second;
            CHECK(s.at_peak.objects == expected.objects);
            CHECK(s.at_peak.bytes == expected.bytes);
            CHECK(s.alive.objects == c.expected.live.at(s.site).objects);
            CHECK(s.alive.bytes == c.expected.live.at(s.site).bytes);
            CHECK(s.made.objects == s.ended + s.alive.objects);
            made_bytes += s.made.bytes;
        }
        CHECK(totals.peak_bytes() == c.expected.peak_bytes);
        CHECK(made_bytes == static_cast<double>(c.made_bytes));
    }
}

TEST_CASE("what comes and goes over time is what lives, in a bounded number of groups") {
    random_calls c = make_calls(7);
    // Hours pass, so intervals must have become wider.
    c.recorded.allocate(0, 1, 10, 1);
    recording r = c.recorded.made();
    r.for_each = [inner = r.for_each](const auto &take) {
        inner([&](std::span<const heap_event> some) {
            for (heap_event e : some) {
                e.time_ns *= 1'000'000'007;
                take(std::span<const heap_event>(&e, 1));
            }
        });
    };
    firefox_timeline timeline;
    tell(r, timeline);
    double live = 0;
    std::map<std::uint64_t, double> groups;
    std::uint64_t last = 0;
    for (const firefox_timeline::change &change : timeline.changes()) {
        CHECK(change.interval >= last);
        last = change.interval;
        if (change.comes) {
            CHECK(groups.try_emplace(change.group, change.bytes).second);
        } else {
            CHECK(groups.at(change.group) == change.bytes);
            groups.erase(change.group);
        }
        live += change.comes ? change.bytes : -change.bytes;
    }
    CHECK(live == static_cast<double>(c.left_bytes + 10));
    CHECK(last <= firefox_timeline::intervals);
    CHECK(last > firefox_timeline::intervals / 4);
    CHECK(timeline.milliseconds(last) >= 4999 * 1000.0);
}

TEST_CASE("an object of a sampled recording stands for as many as weren't chosen") {
    made_recording m;
    m.allocate(0, 16, 1, 1).allocate(0, 32, 100'000'000, 1).free(0, 32);
    m.allocate(0, 48, 1, 1).resize(0, 48, 48, 100'000);
    recording r = m.made();
    r.sampled_bytes = 1000;
    site_totals totals(r.stacks.size());
    tell(r, totals);
    const site_total &s = totals.finish().at(0);
    // A small one, a sure one, and one that would have been chosen as it grew.
    CHECK(s.made.objects == doctest::Approx(1002.5).epsilon(0.0001));
    CHECK(s.alive.objects == doctest::Approx(1001.5).epsilon(0.0001));
    CHECK(s.alive.bytes == doctest::Approx(101'000.5).epsilon(0.0001));
}

TEST_CASE("an address that is given out twice ends the object that was there") {
    made_recording m;
    m.allocate(0, 16, 8, 1).allocate(0, 16, 8, 1).free(0, 999);
    recording r = m.made();
    r.duration_ns = 1'000'000'000; // of which nothing is recorded at the end
    site_totals totals(r.stacks.size());
    CHECK(tell(r, totals).duration_ns == r.duration_ns);
    const site_total &s = totals.finish().at(0);
    CHECK(s.made.objects == 2);
    CHECK(s.alive.objects == 1);
}

TEST_CASE("numbers and lists are written as the formats have them") {
    protobuf inner, outer;
    inner.number(1, 150);
    inner.number(2, 0);
    outer.message(3, inner);
    outer.numbers(4, {3, 270, 86942});
    CHECK(outer.bytes() == "\x1a\x03\x08\x96\x01\x22\x06\x03\x8e\x02\x9e\xa7\x05");
    thrift_struct t;
    t.number(1, -1);
    t.number64(4, 300);
    t.text(5, "ab");
    t.numbers(6, std::vector<std::int32_t>(15, 1));
    using namespace std::string_literals;
    CHECK(t.bytes() ==
          "\x15\x01\x36\xd8\x04\x18\x02"s + "ab\x19\xf5\x0f"s + std::string(15, '\x02') + '\0');
}

TEST_CASE("what isn't UTF-8 is replaced, and all else stays") {
    using namespace std::string_literals;
    CHECK(as_utf_8("") == "");
    CHECK(as_utf_8("a \"b\"\n\\ \0 é\x7f😀"s) == "a \"b\"\n\\ \0 é\x7f😀"s);
    CHECK(as_utf_8("d\xff/\xe9\x41") == "d�/�A");
}

TEST_CASE("the program's file is the one that is no library") {
    recording r;
    r.modules = {{"/usr/lib/libstdc++.so.6", "ab"}, {"", ""}};
    CHECK(module_of_program(r) == nullptr);
    r.modules.push_back({"/opt/real-name", ""});
    CHECK(module_of_program(r) == &r.modules.back());
}

TEST_CASE("a row that doesn't fit its table is refused, and leaves no file") {
    namespace fs = std::filesystem;
    const fs::path folder = fs::temp_directory_path() / ("toft-export-" + std::to_string(getpid()));
    fs::create_directory(folder);
    {
        parquet_file file((folder / "t").string(),
                          {{"number", parquet_type::number}, {"text", parquet_type::text}});
        file.add(std::int64_t{1}, std::string("one"));
        CHECK_THROWS_AS(file.add(std::int64_t{1}), std::logic_error);
        CHECK_THROWS_AS(file.add(std::int64_t{1}, 2.5), std::logic_error);
    }
    CHECK(fs::is_empty(folder));
    fs::remove(folder);
}
