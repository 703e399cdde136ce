// SPDX-License-Identifier: MIT
// `toft record --sample`: how many objects are followed, against a program whose calls are known.
#include "recorded_run.hpp"

#include <cmath>
#include <cstdint>
#include <doctest/doctest.h>
#include <record/recording.hpp>
#include <set>

using namespace toft::lab;

TEST_CASE("toft record --sample: as many objects as chance allows, and each until it goes") {
    constexpr double count = 40'000, mean = 16'384;
    const recorded made = record("mixture 40000", "--sample 16384");
    REQUIRE(made.run.status == 0);
    const read_back r = read_all(made.path);
    CHECK(r.what.sampled_bytes == 16'384);
    const auto expect = [&](std::uint64_t bytes, double of) {
        const double chance = 1 - std::exp(-static_cast<double>(bytes) / mean);
        const double spread = std::sqrt(of * chance * (1 - chance));
        const auto found = static_cast<double>(of_size(r, bytes).size());
        CAPTURE(bytes);
        CAPTURE(found);
        CHECK(std::abs(found - of * chance) < 6 * spread); // once in 500 million times
    };
    expect(3001, count);
    expect(3002, count / 2);
    std::set<std::uint64_t> live;
    std::size_t freed = 0;
    bool all_known = true;
    for (const heap_event &e : r.events) {
        if (e.call != heap_call::allocate)
            all_known =
                live.erase(e.call == heap_call::free ? e.address : e.old_address) == 1 && all_known;
        if (e.call != heap_call::free) all_known = live.insert(e.address).second && all_known;
        freed += e.call == heap_call::free;
    }
    CHECK(all_known);
    CHECK(freed >= of_size(r, 3001).size());
    CHECK(live.size() >= of_size(r, 3002).size());
}

TEST_CASE("toft record --sample: an object that grows is chosen once, by the size that it gets") {
    constexpr double count = 20'000;
    const recorded made = record("growing 20000", "--sample 8192");
    REQUIRE(made.run.status == 0);
    const read_back r = read_all(made.path);
    std::set<std::uint64_t> followed;
    for (const heap_event &e : r.events) {
        if (e.call == heap_call::resize) CHECK(followed.erase(e.old_address) == 1);
        if (e.bytes >= 160 && e.bytes <= 10'240) followed.insert(e.address);
    }
    // Chance takes half a percent, and what the heap rounds up a quarter.
    const double stand_for = static_cast<double>(followed.size()) * r.what.weight_of(10'240);
    CHECK(stand_for == doctest::Approx(count).epsilon(.04));
}
