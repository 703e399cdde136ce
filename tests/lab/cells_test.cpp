// SPDX-License-Identifier: MIT
#include "rows.hpp"
#include "show/cells.hpp"

#include <doctest/doctest.h>

using namespace toft::lab;

TEST_CASE("figures have three digits") {
    CHECK(per_operation_cell(row_of({133}), work_phase).text == "1.33");
    CHECK(per_operation_cell(row_of({4'210}), work_phase).text == "42.1");
    CHECK(per_operation_cell(row_of({99'960}), work_phase).text == "1,000");
    CHECK(per_operation_cell(row_of({1'043'900}), work_phase).text == "10,439");
    CHECK(per_operation_cell(row_of({1'043'900}), work_phase).value == 10'439.);
    CHECK(with_commas(-1'234'567.25, 1) == "-1,234,567.2");
    CHECK(with_commas(-999.4, 0) == "-999");
    CHECK(per_microsecond_cell(row_of({200}), work_phase).text == "500");
    CHECK(milliseconds_cell(row_of({1'500'000}), work_phase).text == "1.50");
    CHECK(count_cell(43'046'719).text == "43,046,719");
    CHECK(count_cell(999).text == "999");
}

TEST_CASE("a ratio is of medians, and a noisy side puts a tilde before it") {
    const row reference = row_of({100, 100, 100});
    CHECK(ratio_cell(row_of({200, 200, 200}), &reference, work_phase).text == "2.00");
    CHECK(ratio_cell(row_of({100, 200, 300}), &reference, work_phase).text == "~2.00");
    // A page divides by the row that its reader chooses.
    CHECK(per_operation_cell(row_of({100, 200, 300}), work_phase).noisy);
    CHECK(per_microsecond_cell(row_of({100, 200, 300}), work_phase).noisy);
    CHECK_FALSE(per_operation_cell(reference, work_phase).noisy);
}

TEST_CASE("there is no ratio without a reference, and none to an elided row") {
    row elided = row_of({100});
    elided.judged = verdict::elided;
    CHECK(ratio_cell(row_of({100}), nullptr, work_phase).text == "-");
    CHECK(ratio_cell(row_of({100}), &elided, work_phase).text == "-");
    CHECK(ratio_cell(elided, &elided, work_phase).text == "-");
    CHECK_FALSE(per_operation_cell(elided, work_phase).value);
}

TEST_CASE("a row that failed shows no figure, and none is divided by its own") {
    row failed = row_of({100, 100, 100});
    failed.judged = verdict::failed;
    failed.problem = "does other work when it is timed";
    CHECK_FALSE(has_figures(failed));
    const cell time = per_operation_cell(failed, work_phase);
    CHECK(time.text == "failed");
    CHECK_FALSE(time.value);
    CHECK_FALSE(time.exact);
    CHECK(milliseconds_cell(failed, work_phase).text == "failed");
    CHECK(per_microsecond_cell(failed, work_phase).text == "failed");
    CHECK(ratio_cell(row_of({100}), &failed, work_phase).text == "-");
    CHECK_FALSE(peak_cell(failed).value);
    row unmeasured = row_of({});
    unmeasured.judged = verdict::failed;
    CHECK(per_operation_cell(unmeasured, work_phase).text == "-");
}

TEST_CASE("a gain is told in words, and none where it may be noise") {
    const row reference = row_of({100, 101, 102});
    CHECK(gain_cell(row_of({50, 50, 51}), &reference, work_phase).text == "2.02");
    CHECK(gain_cell(row_of({200, 202, 204}), &reference, work_phase).text == "loses 2.00");
    CHECK(gain_cell(row_of({99, 99, 99}), &reference, work_phase).text == "none");  // too little
    CHECK(gain_cell(row_of({80, 80, 100}), &reference, work_phase).text == "none"); // not apart
    CHECK(gain_cell(row_of({50, 50}), &reference, work_phase).text == "-");         // two processes
    CHECK(gain_cell(reference, &reference, work_phase).text == "-");
    CHECK(gain_cell(reference, nullptr, work_phase).text == "-");
}

TEST_CASE("of several rounds in a process the median counts") {
    row r = row_of({100});
    r.samples[0].phases.push_back({"work", 2, 100, 100, {0, 900, 0, 0}});
    r.samples[0].phases.push_back({"work", 3, 100, 100, {0, 300, 0, 0}});
    CHECK(per_operation_cell(r, {{"work"}, 1, 3}).text == "3.00");
    CHECK(per_operation_cell(r, {{"work"}, 1, 4}).text == "-");
}

TEST_CASE("a yardstick shows its figures and doesn't compete") {
    row yardstick = row_of({100});
    yardstick.competes = false;
    CHECK(per_operation_cell(yardstick, work_phase).text == "1.00");
    CHECK_FALSE(per_operation_cell(yardstick, work_phase).value);
    CHECK(per_operation_cell(row_of({100}), work_phase).value);
}

TEST_CASE("page faults are minor and major, in every table and of every row that ended") {
    row r = row_of({100, 100, 100});
    CHECK(faults_cell(r).text == "0");
    for (measurement &m : r.samples) m.minor_faults = 1'234'567, m.major_faults = 3;
    CHECK(faults_cell(r).text == "1,234,570");
    CHECK(page_faults_of(r) == 1'234'570);
    CHECK(faults_cell(row_of({})).text == "-");
}
