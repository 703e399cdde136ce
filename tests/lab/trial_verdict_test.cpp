// SPDX-License-Identifier: MIT
// The sentence of `toft try` over results made by hand.
#include "result/verdict.hpp"
#include "run/trial.hpp"
#include "run/trial_ratios.hpp"
#include "show/trial_text.hpp"
#include "show/trial_verdict.hpp"

#include <doctest/doctest.h>

using namespace toft::lab;

namespace {

struct made {
    bench_result result;
    suite_result &suite;

    made() : suite(result.suites.emplace_back()) { suite.name = trial_suite; }

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
    std::string said(clock_kind clock = clock_kind::wall) const {
        return trial_verdict(result, clock, .03);
    }
};

// What the first row took while each run of the row did.
void run_beside(row &r, const std::vector<double> &ms) {
    for (std::size_t i = 0; i != ms.size(); ++i)
        r.samples[i].figures = {{first_beside_figure, ms[i] * 1e6}, {side_by_side_figure, 2}};
    judge(r);
}

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

TEST_CASE("toft try: a gain of a percent is told, and recommends nothing") {
    made m;
    m.add("glibc", {100, 101, 100, 99, 100});
    m.add("mimalloc", {99, 99.99, 99, 98.01, 99}, 11);
    CHECK(m.said() ==
          "Hardly worth a change: prog takes 1.0 % less wall time with mimalloc than "
          "with glibc (1.0 % less to 1.0 % less), which is beyond noise, with 10 % more "
          "memory at its peak.");
}

TEST_CASE("toft try: where ratios are known within half of them only, nothing is recommended") {
    made m;
    m.add("glibc", {100, 300, 100, 90, 210});
    m.add("mimalloc", {40, 30, 120, 200, 30});
    m.add("jemalloc", {300, 80, 90, 300, 100});
    CHECK(m.said().starts_with("Too noisy to tell which malloc is best. The ratios are known "));
    made loss; // of more than is known
    loss.add("glibc", {100, 101, 100, 99, 100});
    loss.add("slow", {300, 500, 300, 450, 400});
    CHECK(loss.said().starts_with("Stay with glibc: no other malloc takes less"));
    CHECK(loss.said().find("The ratios are known within ") != std::string::npos);
    m.add("tcmalloc", {50, 150, 50, 45, 105}); // of each round the half
    CHECK(m.said().starts_with("Link tcmalloc: "));
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

TEST_CASE("toft try: where other programs kept the machine busy, CPU time decides, not wall time") {
    made m;
    m.add("glibc", {100, 101, 100, 99, 100});
    m.add("mimalloc", {80, 81, 80, 79, 80});
    for (measurement &waited : m.add("jemalloc", {70, 71, 70, 69, 70}).samples)
        waited.phases.front().spent.wall_ns *= 2;
    m.result.machine.cpus = 2;
    CHECK(m.said().starts_with("Link mimalloc: prog takes 20 % less wall time"));
    m.result.load.others_cpus = 1.6;
    CHECK(m.said().starts_with("Link jemalloc: prog takes 30 % less CPU time"));
    CHECK(m.said().ends_with(" CPU time was judged, since other programs had their part in the "
                             "wall times."));
    CHECK_FALSE(m.said(clock_kind::cpu).ends_with("wall times."));
}

TEST_CASE("toft try, side by side: what the first row took at the same time is what counts") {
    made m;
    run_beside(m.add("glibc", {100, 100, 100, 100, 100}), {100, 100, 100, 100, 100});
    run_beside(m.add("mimalloc", {90, 180.5, 90, 269, 90}), {100, 200, 100, 300, 100});
    run_beside(m.add("jemalloc", {240, 120, 480, 119, 121}), {200, 100, 400, 100, 100});
    CHECK(m.said(clock_kind::cpu) == "Link mimalloc: prog takes 10 % less CPU time with it than "
                                     "with glibc (10 % less to 10 % less), which is beyond "
                                     "noise.");
    const std::string table = trial_table_of(m.suite).lines.render(false);
    CHECK(table.find("wall") == std::string::npos);
    CHECK(table.find("1.20 (1.") != std::string::npos);
    CHECK(table.find("0.90 (0.90 to 0.90)*") != std::string::npos);
    for (const row &r : m.suite.rows) CHECK(r.judged == verdict::sound);
}

TEST_CASE("toft try: a smaller ratio that isn't known well doesn't hide a gain that is sure") {
    made m;
    m.add("glibc", {100, 100, 100, 100, 100});
    m.add("mimalloc", {60, 140, 80, 120, 70});
    m.add("jemalloc", {93, 93.2, 93.1, 93, 93.2});
    CHECK(m.said().starts_with("Link jemalloc: prog takes 6.9 % less"));
}

TEST_CASE("toft try: what is a setting isn't to be linked") {
    made m;
    m.add("glibc", {100, 101, 100, 99, 100});
    m.add("glibc huge pages", {80, 81, 80, 79, 80});
    m.result.allocators = {{"glibc", "", "2.36", "libc6"},
                           {"glibc huge pages", "", "2.36", "libc6", "A=1"}};
    CHECK(m.said().starts_with("Run it with A=1: prog takes 20 % less wall time with it than with "
                               "glibc ("));
    m.suite.rows[1].allocator = "mimalloc B=2";
    m.result.allocators[1] = {"mimalloc B=2", "libmimalloc.so.2", "2", "", "B=2"};
    CHECK(m.said().starts_with("Link mimalloc and run it with B=2: prog takes"));
}

TEST_CASE("toft try: one malloc alone, and an interrupt, are no failures") {
    made alone;
    alone.add("glibc", {100, 101, 100, 99, 100});
    CHECK(alone.said() == "Nothing to compare with: glibc is the only malloc here.");
    made none;
    none.add("glibc", {});
    none.add("mimalloc", {});
    const std::string too_few = "Nothing can be said after fewer than 3 rounds.";
    CHECK(none.said() == too_few);
    made uneven;
    uneven.add("glibc", {100, 100, 100});
    uneven.add("mimalloc", {50, 50});
    CHECK(uneven.said() == too_few);
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

TEST_CASE("toft try: the note says what stands in the table, and no time is best where none is") {
    made m;
    m.add("glibc", {100, 101, 100, 99, 100});
    m.add("mimalloc", {80, 81, 80, 79, 80});
    const auto marked_columns = [&] {
        std::string marked;
        const shown_table shown = trial_table_of(m.suite);
        for (const column &c : shown.lines.columns())
            if (c.best != best_is::none) marked += c.group + " " + c.header + ", ";
        return marked;
    };
    m.suite.conclusion = m.said();
    CHECK(marked_columns() == "wall ms, CPU ms, MiB peak, ");
    const std::string note = trial_table_of(m.suite).note;
    for (const char *sign : {"±: ", "*: ", "faults: ", "switches: "})
        CHECK_MESSAGE(note.find(sign) != note.npos, note);
    m.suite.conclusion = too_noisy_to_tell + std::string(" The ratios are known within 467 %.");
    CHECK(marked_columns() == "MiB peak, ");
}
