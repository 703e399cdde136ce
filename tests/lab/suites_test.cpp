// SPDX-License-Identifier: MIT
// The suites at a small size: every subject runs, passes its own checks, and asks of the heap what
// its text says.
#include "command.hpp"
#include "subject/registry.hpp"
#include "workloads/arena/measure.hpp"
#include "workloads/arena/peers.hpp"
#include "workloads/tree/tree.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>

using namespace toft::lab;

namespace {

nlohmann::json rows_of(const std::string &arguments) {
    const std::string path = scratch("suite.json");
    const run_result r = run_toft("bench " + arguments + " --repetitions 1 --json " + path);
    CAPTURE(r.out);
    CAPTURE(r.err);
    CHECK(r.status == 0);
    return nlohmann::json::parse(contents_of(path))["suites"][0]["rows"];
}

} // namespace

TEST_CASE("the tree has the size that it is known for") {
    CHECK(nodes_of_tree(0) == 1);
    CHECK(nodes_of_tree(15) == 21'523'360);
}

TEST_CASE("every way to keep a tree gives the same sum of ids, by another") {
    constexpr std::uint64_t n = nodes_of_tree(6);
    for (auto *make :
         {raw_tree_yardstick, vector_of_unique_ptr_tree, unique_ptr_tree, malloc_tree,
          pmr_monotonic_tree, pmr_pool_tree, toft_tree, toft_destructors_tree, toft_vectors_tree}) {
        const auto t = make();
        for (int round = 0; round != 3; ++round) {
            t->build(6);
            CHECK(t->sum_of_ids() == n * (n - 1) / 2);
            t->free();
        }
        t->give_memory_back();
    }
}

TEST_CASE("suite tree: heap allocations and bytes are exactly those of the text") {
    constexpr std::uint64_t n = nodes_of_tree(8);
    for (const auto &row : rows_of("tree --size 8")) {
        const std::string subject = row["subject"];
        CAPTURE(subject);
        const auto &heap = row["counted"]["heap"];
        if (subject == "vector<unique_ptr>") {
            CHECK(heap["allocations"] == 2 * n - 1);
            CHECK(heap["deallocations"] == 2 * n - 1);
            CHECK(heap["bytes"] == 56 * n - 32); // 43,046,719 and 1,205,308,128 with 15 levels
        } else if (subject == "unique_ptr" || subject == "malloc") {
            CHECK(heap["allocations"] == n);
            CHECK(heap["bytes"] == 24 * n);
        } else if (subject.starts_with("toft")) {
            CHECK(heap["allocations"] == 0);
            if (subject.starts_with("toft::arena")) CHECK(row["counted"]["chunks"] > 0);
        }
    }
}

TEST_CASE("suite arena: every subject that is here runs every case that it takes part in") {
    const auto rows = rows_of("arena --size 10000");
    std::set<std::string> cases;
    for (const auto &row : rows) cases.insert(row["case"]);
    CHECK(cases == std::set<std::string>{"8", "32", "mixed", "hot", "request", "one"});
    std::size_t expected = 0;
    for (const subject &s : find_suite("arena").subjects)
        if (!s.by_allocator && s.missing.empty())
            expected += s.cases.empty() ? cases.size() : s.cases.size();
    std::size_t found = 0;
    for (const auto &row : rows) found += row["by_allocator"] == false ? 1 : 0;
    CHECK(found >= 39); // of those that are part of the command
    CHECK(found >= expected);
}

TEST_CASE("suite arena: short lives have no first round, since a warm-up comes before them") {
    const auto rows = rows_of("arena --size 10000 --allocators glibc");
    std::size_t warmed = 0;
    for (const auto &row : rows) {
        const std::string case_name = row["case"];
        CAPTURE(case_name);
        CAPTURE(std::string(row["subject"]));
        const bool is_short = case_name == "hot" || case_name == "request" || case_name == "one";
        warmed += is_short ? 1 : 0;
        for (const auto &figure : row["figures"]) CHECK((!is_short || figure["rounds"] == "later"));
    }
    CHECK(warmed >= 18);
}

TEST_CASE("suite arena: whoever takes memory from malloc has a row with huge pages, as Toft has") {
    const suite &arena = find_suite("arena");
    std::size_t twins = 0;
    for (const subject &s : arena.subjects) {
        const bool is_twin = s.name.ends_with(", huge pages");
        if (is_twin || s.is_toft || !s.competes || s.by_allocator || !s.missing.empty()) continue;
        CAPTURE(s.name);
        const subject *twin = arena.find_subject(s.name + ", huge pages");
        if (s.name == "APR pool") { // which maps its memory itself
            CHECK_FALSE(twin);
            continue;
        }
        REQUIRE(twin);
        CHECK(twin->takes_part_in("32"));
        CHECK(twin->missing.empty());
        ++twins;
    }
    CHECK(twins >= 3);
    CHECK(arena.find_subject("obstack, huge pages")->setting == regions_on_huge_pages);
}

TEST_CASE("suite arena: a row on huge pages has its region on them, where there are any") {
    // The most of three processes: the kernel may be out of huge pages for a while.
    std::map<std::string, double> huge_share;
    constexpr const char *own = "pmr over one buffer, huge pages"; // which asks for them itself
    double least_of_own = 1;
    for (int process = 0; process != 3; ++process)
        for (const auto &row : rows_of("arena --size 1000000 --filter arena/mixed/")) {
            const auto &sample = row["samples"][0];
            const double share =
                sample["figures"][huge_bytes].get<double>() / sample["peak_bytes"].get<double>();
            double &most = huge_share[row["subject"]];
            most = std::max(most, share);
            if (row["subject"] == own) least_of_own = std::min(least_of_own, share);
        }
    if (least_of_own < .75) {
        MESSAGE("left out: the kernel gives no huge pages here");
        return;
    }
    // glibc asks for none where it can't read this, as in a container without /sys.
    const bool glibc_asks = std::filesystem::exists("/sys/kernel/mm/transparent_hugepage/enabled");
    const suite &arena = find_suite("arena");
    for (const auto &[subject, share] : huge_share) {
        CAPTURE(subject);
        if (!glibc_asks && arena.find_subject(subject)->setting == regions_on_huge_pages) continue;
        const bool is_on_them = subject == "toft::arena" || subject.ends_with(", huge pages");
        CHECK((!is_on_them || share >= .5));
    }
}

TEST_CASE("a subject's setting is in its own processes, and in no others") {
    const auto rows = rows_of("planted --filter planted/setting/");
    REQUIRE(rows.size() == 2);
    for (const auto &row : rows) CHECK(row["problem"] == "");
}

TEST_CASE("suite containers: all kinds of memory, and what fits a stack buffer asks for none") {
    for (const std::string case_name : {"list", "vector", "string", "small-vector"}) {
        std::set<std::string> subjects;
        for (const auto &row :
             rows_of("containers --size 1000 --filter containers/" + case_name + "/")) {
            const std::string subject = row["subject"];
            CAPTURE(case_name);
            CAPTURE(subject);
            subjects.insert(subject);
            CHECK(row["problem"] == "");
            if ((subject.ends_with(", stack") && !subject.starts_with("pmr")) ||
                subject == "toft::pool, shared")
                CHECK(row["counted"]["heap"]["allocations"] == 0);
        }
        CHECK(subjects.size() >= 17);
    }
}

TEST_CASE("suite containers: of the standard resources, those with a first buffer say so") {
    constexpr std::uint64_t buffer_bytes = 5U << 20U;
    for (const auto &row : rows_of("containers --size 1000 --filter containers/list/pmr")) {
        const std::string subject = row["subject"];
        CAPTURE(subject);
        const bool from_heap = row["counted"]["heap"]["bytes"] >= buffer_bytes;
        CHECK(from_heap == subject.ends_with(", buffer"));
    }
}

TEST_CASE("suite containers: threads have room for a buffer, whatever stacks are limited to") {
    for (const std::string kibibytes : {"1024", "unlimited"}) {
        const run_result r =
            run_shell("ulimit -S -s " + kibibytes +
                      "; '" TOFT_COMMAND "' bench containers --size 1000 --repetitions 1 "
                      "--filter 'containers/list-10/pmr unsync. pool, stack'");
        CAPTURE(kibibytes);
        CAPTURE(r.err);
        CHECK(r.status == 0);
    }
}

TEST_CASE("suite pool: a handle is in no container, and every other door is") {
    const suite &pool = find_suite("pool");
    for (const subject &s : pool.subjects)
        for (const char *container : {"list", "map"}) {
            CAPTURE(s.name);
            CHECK(s.takes_part_in(container) == (s.name != "toft::pool, handle"));
            CHECK(s.takes_part_in("larson"));
        }
}

TEST_CASE("an unknown suite is told with what there is") {
    CHECK_THROWS_AS(find_suite("tre"), std::invalid_argument);
    CHECK(find_suite("tree").find_subject("malloc"));
    CHECK_FALSE(find_suite("tree").find_subject("mallok"));
}

TEST_CASE("no table has two columns of one name") {
    for (const suite &s : all_suites())
        for (const suite_table &t : s.tables) {
            if (t.lines != table_lines::subjects) continue;
            std::set<std::string> names;
            for (const bench_case &c : s.cases)
                if (shows_case(t, c.name))
                    CHECK_MESSAGE(names.insert(c.header.empty() ? c.name : c.header).second, s.name,
                                  ": ", c.header);
        }
}
