// SPDX-License-Identifier: MIT
#include "command.hpp"
#include "workloads/latency/call_times.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace toft::lab;

TEST_CASE("a histogram of times tells a quantile within a 64th, and the longest as it is") {
    time_histogram all, half;
    for (std::uint64_t ticks = 1; ticks <= 100'000; ++ticks) (ticks % 2 ? all : half).add(ticks);
    all.add(half);
    CHECK(all.count() == 100'000);
    CHECK(all.longest() == 100'000);
    for (const double share : {.1, .5, .99, .999, .9999}) {
        const auto told = static_cast<double>(all.quantile(share));
        CHECK(told <= share * 100'000 + 1);
        CHECK(told >= share * 100'000 * (1 - 1. / 64) - 1);
    }
    time_histogram huge;
    huge.add(~std::uint64_t{0});
    CHECK(huge.longest() == ~std::uint64_t{0});
    CHECK(huge.quantile(.5) >= std::uint64_t{127} << 57U);
    CHECK(time_histogram().quantile(.5) == 0);
}

TEST_CASE("the suite latency: every row has its quantiles, in order, on one thread and on ten") {
    const std::string json = scratch("latency.json");
    const run_result r =
        run_toft("bench latency --size 20000 --repetitions 1 --allocators glibc --json " + json);
    CAPTURE(r.out);
    REQUIRE(r.status == 0);
    const auto result = nlohmann::json::parse(contents_of(json));
    const auto &rows = result["suites"][0]["rows"];
    CHECK(rows.size() == 10);
    for (const auto &row : rows) {
        const auto &figures = row["samples"][0]["figures"];
        CHECK(figures["p50"] <= figures["p99"]);
        CHECK(figures["p99"] <= figures["p99.9"]);
        CHECK(figures["p99.9"] <= figures["p99.99"]);
        CHECK(figures["longest"] > 0);
        CHECK(figures["clock"] > 0);
        CHECK(row["figures"][0]["rounds"] == "later"); // the places are filled before
    }
}
