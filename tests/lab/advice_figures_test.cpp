// SPDX-License-Identifier: MIT
// The figures of advice: whatever the number of threads and what was asked for, they are those of
// the program as it is.
#include "advice/advice.hpp"
#include "advice/candidates.hpp"
#include "analysed.hpp"
#include "planted_program.hpp"
#include "right_answers.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace toft::lab;

namespace {

using object = planted_program::object;

// Each thread makes many objects that it soon frees, some that come and go until its end, and one
// that lives as long as these.
std::uint64_t objects_kept_with(std::uint32_t threads) {
    constexpr unsigned many = 2000, some = 400, rounds = 20; // the latter in each
    planted_program p;
    std::vector<std::vector<object>> came(threads), went(threads);
    std::vector<object> pins(threads);
    const auto make_one = [&] { return p.make(1, 32); };
    const auto make = [&](const char *maker, std::vector<object> &all, unsigned count) {
        p.call(maker, 2, [&] {
            for (unsigned i = 0; i != count; ++i) all.push_back(make_one());
        });
    };
    for (std::uint32_t t = 0; t != threads; ++t) {
        p.on_thread(t);
        p.enter("work", 3);
        p.call("make_pin", 4, [&] { pins[t] = make_one(); });
        make("make_some", went[t], some);
        make("make_many", came[t], many);
    }
    for (std::uint32_t t = 0; t != threads; ++t) {
        p.on_thread(t);
        free_all(p, 5, came[t]);
        for (unsigned round = 0; round != rounds; ++round)
            for (object &o : went[t]) {
                p.free(6, o);
                p.call("make_some", 7, [&] { o = make_one(); });
            }
    }
    for (std::uint32_t t = 0; t != threads; ++t) {
        p.on_thread(t);
        free_all(p, 8, went[t]);
        p.free(9, pins[t]);
        p.leave();
    }
    std::uint64_t objects = 0;
    for (const found_region &r : analyse(p.recorded()).regions)
        if (!r.sites.empty()) objects += r.objects;
    return objects / threads;
}

// All threads' objects live at once; the first arena that is advised for them.
advice arena_with(std::uint32_t threads) {
    constexpr int objects = 1000;
    planted_program p;
    std::vector<std::vector<object>> all(threads);
    for (std::uint32_t t = 0; t != threads; ++t) {
        p.on_thread(t);
        p.enter("work", 3);
        for (int i = 0; i != objects; ++i)
            p.call("node_" + std::to_string(i % 4), 5,
                   [&] { p.call("xmalloc", 6, [&] { all[t].push_back(p.make(7, 16)); }); });
    }
    for (std::uint32_t t = 0; t != threads; ++t) {
        p.on_thread(t);
        free_all(p, 9, all[t]);
        p.leave();
    }
    const advice_report report = advise({p.recorded()}, p.symbols());
    REQUIRE(!report.lines.empty());
    return report.lines.front();
}

} // namespace

TEST_CASE("which objects bloat an arena doesn't depend on the number of threads") {
    CHECK(objects_kept_with(1) == 2401);
    CHECK(objects_kept_with(2) == 2401);
    CHECK(objects_kept_with(8) == 2401);
}

TEST_CASE("a hook's words before its objects count in every thread") {
    for (const std::uint32_t threads : {1U, 8U}) {
        CAPTURE(threads);
        const advice a = arena_with(threads);
        REQUIRE(a.what == remedy::arena);
        REQUIRE(a.wrappers.size() == 1);
        CHECK(a.lives == threads);
        // An object of 16 bytes takes 32 of malloc's memory, and of the hook's.
        CHECK(a.peak_percent.low == 0);
        CHECK(a.peak_percent.high == 0);
    }
}

TEST_CASE("what an alignment costs is in the memory of both") {
    const auto advice_for = [](std::uint32_t alignment, std::uint64_t bytes = 16) {
        planted_program p;
        for (int round = 0; round != 20; ++round) {
            p.call("run", 3, [&] {
                std::vector<object> parts;
                for (int i = 0; i != 200; ++i) parts.push_back(p.make_aligned(4, bytes, alignment));
                free_all(p, 5, parts);
            });
            p.free(7, p.make(6, 9));
        }
        const advice_report report = advise({p.recorded()}, p.symbols());
        REQUIRE(!report.lines.empty());
        REQUIRE(report.lines[0].what == remedy::arena);
        return report.lines[0];
    };
    const advice plain = advice_for(0), by_page = advice_for(4096);
    CHECK(plain.region_peak_bytes == 200 * 16);
    CHECK(plain.malloc_peak_bytes == 200 * 32);
    CHECK(by_page.region_peak_bytes == 200 * 4096);
    CHECK(by_page.malloc_peak_bytes == 200 * 4096);
    CHECK(by_page.peak_percent.high == 0);
    CHECK(advice_for(64, 100).region_peak_bytes == 200 * 128); // the next begins where it may
    CHECK(advice_for(64, 100).malloc_peak_bytes == 200 * 128);
    // Room for it comes beside the bytes that were asked for.
    CHECK(by_page.most_bytes_in_a_life == 200 * 16);
    CHECK(room_for_a_life(by_page) == 200 * (16 + 4096));
}

TEST_CASE("objects that are to be left aren't those that an arena could take") {
    planted_program p;
    for (int script = 0; script != 20; ++script)
        p.call("interpret", 3, [&] {
            std::vector<object> unused;
            for (int i = 1; i <= 500; ++i)
                p.call("new_string", 4, [&] {
                    p.call("vm_reallocate", 5, [&] {
                        unused.push_back(p.make(1, 48));
                        if (i % 100 == 0) p.call("vm_gc_run", 6, [&] { free_all(p, 1, unused); });
                    });
                });
        });
    advice_report report = advise({p.recorded()}, p.symbols());
    REQUIRE(!report.lines.empty());
    CHECK(report.lines[0].what == remedy::leave);
    CHECK(report.region_percent == 0);
    p.call("parse", 8, [&] {
        std::vector<object> nodes;
        for (int i = 0; i != 10'000; ++i) nodes.push_back(p.make(9, 48));
        free_all(p, 10, nodes);
    });
    report = advise({p.recorded()}, p.symbols());
    CHECK(report.region_percent == 50);
}

TEST_CASE("what narrows the ranges of the gains is told where there are gains") {
    const auto advice_for = [](bool with_objects, std::uint64_t sampled_bytes) {
        planted_program p;
        for (int i = 0; with_objects && i != 100; ++i) p.free(2, p.make(1, 64));
        recording r = p.recorded();
        r.sampled_bytes = sampled_bytes;
        r.time = program_time{};
        r.time->most_ns = 20'000'000;
        r.time->only_at_most = true;
        return advise({r}, p.symbols());
    };
    CHECK(has_remark(advice_for(true, 0), "--cpu SECONDS"));
    CHECK_FALSE(has_remark(advice_for(true, 1 << 19), "--cpu"));
    CHECK_FALSE(has_remark(advice_for(false, 0), "--cpu"));
}
