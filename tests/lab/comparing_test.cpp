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
        const run_result same = run_toft(steady + "--bound 1 --compare " + before);
        CAPTURE(same.out);
        CHECK(same.status == 0);
        CHECK(contains(same.out, " 0 slower, 0 faster"));
        CHECK_FALSE(contains(same.out, "\n0 figures compared"));
    }
    const run_result slowed = run_shell("TOFT_PLANTED_MS=120 '" TOFT_COMMAND "' " + steady +
                                        "--bound 50 --compare " + before + " --json " + after);
    CAPTURE(slowed.out);
    CHECK(slowed.status == 3);
    CHECK(contains(slowed.out, "planted steady, slowed visit"));
    for (const auto &f : nlohmann::json::parse(contents_of(after))["comparison"]["figures"]) {
        if (f["change"] == "none" || f["change"] == "unsure") continue;
        CHECK(f["row"] == "slowed");
        CHECK((f["phase"] == "visit" || f["phase"] == "all"));
        CHECK(f["change"] == "slower");
    }
    CHECK(run_toft("compare " + before + " " + after).status == 0); // no bound was set
    CHECK(run_toft("compare --bound 50 " + before + " " + after).status == 3);
    CHECK(run_toft("compare --bound 500 " + before + " " + after).status == 0);
    CHECK(run_toft("compare --bound 50 " + after + " " + before).status == 0); // faster
}
