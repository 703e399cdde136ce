// SPDX-License-Identifier: MIT
// The suite `aged`: every subject runs its cases, the rounds stand apart, what is counted is what
// is timed, and the memory is told.
#include "command.hpp"
#include "subject/registry.hpp"
#include "workloads/aged/cases.hpp"
#include "workloads/aged/footprint.hpp"
#include "workloads/aged/parcels.hpp"

#include <array>
#include <cstring>
#include <doctest/doctest.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

using namespace toft::lab;

namespace {

nlohmann::json rows_of(const std::string &arguments) {
    const std::string path = scratch("aged.json");
    const run_result r = run_toft("bench aged " + arguments + " --json " + path);
    CAPTURE(r.out);
    CAPTURE(r.err);
    REQUIRE(r.status == 0);
    return nlohmann::json::parse(contents_of(path))["suites"][0]["rows"];
}

// Measured once for all tests, without the cases that wait.
const nlohmann::json &usual_rows() {
    static const nlohmann::json rows = rows_of("--size 5 --repetitions 1 --allocators glibc");
    return rows;
}

struct phase_counts {
    std::string phase;
    unsigned round;
    std::uint64_t operations, allocations;
    bool operator==(const phase_counts &) const = default;
};

std::vector<phase_counts> counts_of(const nlohmann::json &measured) {
    std::vector<phase_counts> counts;
    for (const auto &p : measured["phases"])
        counts.push_back({p["phase"], p["round"], p["operations"], p["allocations"]});
    return counts;
}

} // namespace

TEST_CASE("suite aged: each case has its subjects, and those that wait are left to --full") {
    std::map<std::string, std::set<std::string>> subjects;
    for (const auto &row : usual_rows()) {
        CHECK(row["problem"] == "");
        subjects[row["case"]].insert(row["subject"]);
    }
    const std::set<std::string> any_thread = {"malloc", "toft::pool"};
    std::set<std::string> one_thread = any_thread, whole_rounds = any_thread;
    one_thread.insert("toft::reap");
    whole_rounds.insert({"toft::reap", "toft::arena, frees dropped"});
    CHECK(subjects == std::map<std::string, std::set<std::string>>{{"aged-tree", whole_rounds},
                                                                   {"survivors", one_thread},
                                                                   {"random-frees", one_thread},
                                                                   {"aged-map", whole_rounds},
                                                                   {"phase-change", one_thread},
                                                                   {"kinds", one_thread},
                                                                   {"buffers", one_thread},
                                                                   {"blocks", one_thread},
                                                                   {"arrays", one_thread},
                                                                   {"thread-churn", any_thread},
                                                                   {"bleeding", any_thread},
                                                                   {"asymmetric", any_thread}});
}

TEST_CASE("suite aged: eight rounds, the first fresh, of several sizes") {
    for (const auto &row : usual_rows()) {
        CAPTURE(row["case"].get<std::string>());
        CAPTURE(row["subject"].get<std::string>());
        const std::vector<phase_counts> rounds = counts_of(row["samples"][0]);
        REQUIRE(rounds.size() == aged_rounds);
        std::set<std::uint64_t> sizes;
        for (unsigned i = 0; i != aged_rounds; ++i) {
            CHECK(rounds[i].phase == phase_of_round(i + 1));
            CHECK(rounds[i].round == (i == 0 ? 1 : 2));
            CHECK(rounds[i].operations == 1);
            sizes.insert(rounds[i].allocations);
        }
        CHECK(sizes.size() >= 2);
        CHECK(*sizes.begin() > 0);
    }
}

TEST_CASE("suite aged: all rows of a case do the same, and what is counted is what is timed") {
    std::map<std::string, std::vector<phase_counts>> of_case;
    for (const auto &row : usual_rows()) {
        const std::string name = row["case"];
        CAPTURE(name);
        CAPTURE(row["subject"].get<std::string>());
        const std::vector<phase_counts> timed = counts_of(row["samples"][0]);
        CHECK(counts_of(row["counted"]) == timed);
        CHECK(of_case.emplace(name, timed).first->second == timed);
        if (row["subject"] != "malloc") continue;
        std::uint64_t text = 0;
        for (const phase_counts &round : timed) text += round.allocations;
        const auto &heap = row["counted"]["heap"];
        CHECK(row["counted"]["expected_heap_allocations"] == text);
        if (name == "thread-churn") { // a new thread has allocations of its own
            CHECK(heap["allocations"] >= text);
        } else {
            CHECK(heap["allocations"] == text);
            CHECK(heap["deallocations"] == text);
        }
    }
}

TEST_CASE("suite aged: resident memory is told at the peak and after all is freed") {
    for (const auto &row : usual_rows()) {
        CAPTURE(row["case"].get<std::string>());
        CAPTURE(row["subject"].get<std::string>());
        const auto &figures = row["samples"][0]["figures"];
        CHECK(figures[resident_peak] > 0);
        CHECK(figures.contains(resident_freed));
        CHECK_FALSE(figures.contains(resident_later));
    }
}

TEST_CASE("suite aged: as many bytes live at the peak of each run, those of all threads") {
    std::map<std::string, std::set<double>> peaks;
    std::uint64_t churned = 0; // in the largest round
    for (const auto &row : usual_rows()) {
        peaks[row["case"]].insert(row["counted"]["figures"][live_peak].get<double>());
        if (row["case"] == "thread-churn") churned = counts_of(row["counted"])[4].allocations;
    }
    for (const std::string name : {"thread-churn", "bleeding", "asymmetric"}) {
        CAPTURE(name);
        CHECK(peaks.at(name).size() == 1); // of malloc and of the pool
    }
    constexpr double mean_bytes = 16 + 496 / 2.;
    CHECK(*peaks.at("thread-churn").begin() > .95 * mean_bytes * static_cast<double>(churned));
}

TEST_CASE("suite aged: a case that waits has one process for each row, and tells what stays") {
    const auto rows =
        rows_of("--size 3 --repetitions 2 --filter aged/phase-change-idle/toft::pool");
    REQUIRE(rows.size() == 1);
    REQUIRE(rows[0]["samples"].size() == 1);
    const auto &sample = rows[0]["samples"][0];
    CHECK(sample["figures"].contains(resident_peak));
    CHECK(sample["figures"].contains(resident_freed));
    CHECK(sample["figures"].contains(resident_later));
}

TEST_CASE("both twins of a case are the same program") {
    for (const aged_case &c : aged_cases()) {
        CHECK(&find_aged_case(c.name) == &c);
        CHECK(&find_aged_case(name_of_idle(c)) == &c);
        CHECK_FALSE(is_idle(c.name));
        CHECK(is_idle(name_of_idle(c)));
        CHECK(find_suite("aged").find_case(name_of_idle(c))->only_full);
    }
}

TEST_CASE("a footprint sees what was written, and keeps the highest") {
    constexpr std::size_t bytes = std::size_t{32} << 20;
    footprint memory;
    {
        const std::unique_ptr<char[]> written(new char[bytes]);
        std::memset(written.get(), 1, bytes);
        asm volatile("" : : "r"(written.get()) : "memory");
        memory.note_peak();
    }
    memory.note_peak();
    session run("aged-tree", 1, run_mode::timed);
    memory.report_peak(run);
    memory.report_now(run, resident_freed);
    const measurement m = run.finish();
    CHECK(m.figures.at(resident_peak) >= bytes / 2);
    CHECK(m.figures.at(resident_freed) < bytes / 2);
}

TEST_CASE("parcels come in the order that they were put in, round and round") {
    std::array<parcel, 3> parcels;
    parcel_queue queue(parcels.size());
    std::vector<parcel *> taken;
    std::jthread taker([&] {
        while (parcel *p = queue.take()) taken.push_back(p);
    });
    std::vector<parcel *> put;
    for (std::size_t turn = 0; turn != 2; ++turn) put.push_back(&parcels[turn]);
    for (parcel *p : put) queue.put(p);
    queue.put(nullptr);
    taker.join();
    CHECK(taken == put);
    for (std::size_t turn = 0; turn != 7; ++turn) { // past the end of the ring
        queue.put(&parcels[turn % 3]);
        queue.put(&parcels[(turn + 1) % 3]);
        CHECK(queue.take() == &parcels[turn % 3]);
        CHECK(queue.take() == &parcels[(turn + 1) % 3]);
    }
}
