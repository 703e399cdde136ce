// SPDX-License-Identifier: MIT
// Memory over time, in a bounded number of samples.
#include "command.hpp"
#include "run/resident_history.hpp"

#include <algorithm>
#include <cstddef>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace toft::lab;

TEST_CASE("a history of any length is bounded, keeps its order, its ends and its highest") {
    for (const std::uint64_t count : {1U, 100U, 128U, 129U, 1000U, 100'000U}) {
        CAPTURE(count);
        resident_history history;
        const std::uint64_t highest_at = count / 3;
        for (std::uint64_t i = 0; i != count; ++i)
            history.add(1000 * i, i == highest_at ? 1'000'000 : 500 + i % 7);
        const auto &samples = history.samples();
        REQUIRE_FALSE(samples.empty());
        CHECK(samples.size() <= resident_history::most_samples);
        CHECK(samples.size() >= std::min<std::size_t>(count, resident_history::most_samples / 2));
        CHECK(std::is_sorted(
            samples.begin(), samples.end(),
            [](const resident_sample &a, const resident_sample &b) { return a.at_ns < b.at_ns; }));
        const bool keeps_highest =
            std::any_of(samples.begin(), samples.end(),
                        [](const resident_sample &s) { return s.bytes == 1'000'000; });
        CHECK(keeps_highest);
        CHECK(samples.back().at_ns >= 1000 * (count - 1) * 9 / 10);
    }
}

TEST_CASE("suite aged: the runner sees memory over time, and what lives at the peak is known") {
    const std::string json = scratch("history.json");
    const run_result r = run_toft("bench aged --size 30 --repetitions 2 --allocators glibc "
                                  "--filter aged/aged-tree --json " +
                                  json);
    REQUIRE(r.status == 0);
    CHECK(contains(r.out, "÷live"));
    const auto rows = nlohmann::json::parse(contents_of(json))["suites"][0]["rows"];
    for (const auto &row : rows) {
        CAPTURE(row["subject"].get<std::string>());
        const double live = row["counted"]["figures"]["live_peak"];
        CHECK(live > 1e6);
        CHECK(row["counted"]["resident"].empty());
        for (const auto &sample : row["samples"]) {
            CHECK_FALSE(sample["figures"].contains("live_peak"));
            REQUIRE(sample["resident"].size() > 2);
            CHECK(sample["resident"].size() <= resident_history::most_samples);
            std::uint64_t highest = 0;
            for (const auto &seen : sample["resident"])
                highest = std::max(highest, seen["bytes"].get<std::uint64_t>());
            CHECK(highest > live);
            // The audit of the malloc, which comes after the subject, isn't in the samples. The
            // kernel's count of a process's pages is a few pages late.
            constexpr std::uint64_t late_bytes = 1 << 20;
            CHECK(highest <= sample["peak_bytes"].get<std::uint64_t>() + late_bytes);
        }
    }
}
