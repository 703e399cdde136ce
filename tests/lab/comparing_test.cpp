// SPDX-License-Identifier: MIT
// `--compare` as a user meets it: the same command compared with itself, and one that was slowed.
#include "command.hpp"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

namespace {

const std::string steady =
    "bench planted --filter planted/steady/ --repetitions 5 --allocators glibc ";

} // namespace

TEST_CASE("the same command three times: no change; slowed in one phase: that row, that phase") {
    const std::string before = scratch("before.json"), after = scratch("after.json");
    REQUIRE(run_toft(steady + "--json " + before).status == 0);
    for (int time = 0; time != 3; ++time) {
        const run_result same = run_toft(steady + "--bound 5 --compare " + before);
        CAPTURE(same.out);
        CHECK(same.status == 0);
        CHECK(contains(same.out, " 0 slower, 0 faster"));
        CHECK_FALSE(contains(same.out, "\n0 figures compared"));
    }
    const run_result slowed = run_shell("TOFT_PLANTED_MS=120 '" TOFT_COMMAND "' " + steady +
                                        "--bound 50 --compare " + before + " --json " + after);
    CAPTURE(slowed.out);
    CHECK(slowed.status == 3);
    CHECK(contains(slowed.out, "planted steady, slowed: visit, "));
    const auto compared = nlohmann::json::parse(contents_of(after));
    REQUIRE(compared["comparison"]["figures"].size() > 0);
    for (const auto &f : compared["comparison"]["figures"]) {
        if (f["change"] == "none" || f["change"] == "unsure") continue;
        CHECK(f["row"] == "slowed");
        CHECK((f["phase"] == "visit" || f["phase"] == "all"));
        CHECK(f["change"] == "slower");
    }
    CHECK(run_toft("compare " + before + " " + after).status == 0); // no bound was set
    const run_result tight = run_toft("compare --bound 1 " + before + " " + before);
    CHECK(tight.status == 4);
    CHECK(contains(tight.out, "can't tell"));
    CHECK(contains(tight.out, "planted: in CPU time, a change of 3 % would have been seen"));
    CHECK(run_toft("compare --bound 50 " + before + " " + after).status == 3);
    CHECK(run_toft("compare --bound 500 " + before + " " + after).status == 0);
    CHECK(run_toft("compare --bound 50 " + after + " " + before).status == 0); // faster
}

TEST_CASE(
    "the rows of ours five times as slow, in a file made from another: the bound is exceeded") {
    const std::string before = scratch("quick.json"), after = scratch("five-fold.json");
    REQUIRE(run_toft(steady + "--json " + before).status == 0);
    auto slow = nlohmann::json::parse(contents_of(before));
    for (auto &row : slow["suites"][0]["rows"])
        if (row["is_toft"])
            for (auto &figure : row["figures"])
                for (const char *clock : {"cpu_ns", "wall_ns"}) {
                    for (auto &value : figure[clock]["values"]) value = value.get<double>() * 5;
                    figure[clock]["median"] = figure[clock]["median"].get<double>() * 5;
                }
    write_to(after, slow.dump());
    CHECK(run_toft("compare --bound 10 " + before + " " + after).status == 3);
    CHECK(run_toft("compare --bound 10 " + before + " " + before).status == 0);
    CHECK(run_toft("compare --bound 10 " + after + " " + before).status == 0);
}
