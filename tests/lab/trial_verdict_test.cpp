// SPDX-License-Identifier: MIT
// The sentence of `toft try` over results made by hand.
#include "result/verdict.hpp"
#include "run/trial.hpp"
#include "show/trial_verdict.hpp"

#include <doctest/doctest.h>

using namespace toft::lab;

namespace {

struct made {
    suite_result suite;

    made() { suite.name = trial_suite; }

    // A run of each time in milliseconds.
    row &add(const char *allocator, const std::vector<double> &ms, double peak_mebibytes = 10) {
        row r;
        r.case_name = r.subject = "prog";
        r.allocator = allocator;
        r.by_allocator = true;
        for (const double t : ms) {
            measurement m;
            const auto ns = static_cast<std::uint64_t>(t * 1e6);
            m.phases.push_back({run_phase, 1, 1, 0, {ns, ns, 0, 0, {}}});
            m.peak_bytes = static_cast<std::uint64_t>(peak_mebibytes * (1 << 20));
            r.samples.push_back(std::move(m));
        }
        judge(r);
        suite.rows.push_back(std::move(r));
        return suite.rows.back();
    }
    std::string said() const { return trial_verdict(suite, clock_kind::wall, .03); }
};

} // namespace

TEST_CASE("toft try: the malloc that is faster beyond noise is to be linked, with what it gains") {
    made m;
    m.add("glibc", {100, 101, 100, 99, 100});
    m.add("mimalloc", {80, 81, 80, 79, 80});
    m.add("jemalloc", {95, 96, 95, 94, 95});
    CHECK(m.said() == "Link mimalloc: prog takes 20 % less wall time with it than with glibc "
                      "(20 % less to 20 % less), which is beyond noise.");
    m.suite.rows[1].samples.clear();
    m.suite.rows.pop_back();
    m.add("tcmalloc", {80, 81, 80, 79, 80}, 15);
    CHECK(m.said().ends_with("beyond noise, with 50 % more memory at its peak."));
}

TEST_CASE("toft try: where two are as fast, both are named") {
    made m;
    m.add("glibc", {100, 101, 100, 99, 100});
    m.add("mimalloc", {80, 81, 80.5, 79, 80});
    m.add("jemalloc", {80.5, 80, 80.5, 79.5, 80});
    CHECK(m.said().find("is within noise of it.") != std::string::npos);
}

TEST_CASE("toft try: what isn't beyond noise is no gain") {
    made m;
    m.add("glibc", {100, 90, 110, 95, 105});
    m.add("mimalloc", {99, 94, 101, 98, 100});
    CHECK(m.said().starts_with("Stay with glibc: no other malloc takes less wall time beyond "
                               "noise; the nearest, mimalloc, takes "));
    CHECK(m.said().find("The ratios are known within") != std::string::npos);
}

TEST_CASE("toft try: a slow moment of the machine that a whole round shares is no noise") {
    made m;
    m.add("glibc", {100, 200, 100, 300, 100});
    m.add("mimalloc", {90, 180.5, 90, 269, 90});
    CHECK(m.said().starts_with("Link mimalloc: prog takes 10 % less"));
}

TEST_CASE("toft try: rows that failed are no candidates, and without the first nothing is said") {
    made m;
    row &glibc = m.add("glibc", {100, 101, 100, 99, 100});
    glibc.problem.clear();
    m.add("mimalloc", {10, 10, 10}).problem = "crashed with signal 11";
    CHECK(m.said() == "Stay with glibc: no other malloc worked.");
    m.suite.rows.front().problem = "hung";
    CHECK(m.said() == "Nothing to compare with: glibc failed.");
    made few;
    few.add("glibc", {100, 100});
    few.add("mimalloc", {50, 50});
    CHECK(few.said() == "Nothing can be said after fewer than 3 rounds.");
}
