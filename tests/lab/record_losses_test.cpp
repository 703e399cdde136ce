// SPDX-License-Identifier: MIT
// `toft record` where it sees a call only by a special effort, or has no room for it: that is
// recorded all the same, or counted, and nothing of the program's is harmed.
#include "recorded_run.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <doctest/doctest.h>
#include <filesystem>
#include <record/recorded_file.hpp>
#include <set>

using namespace toft::lab;

namespace {

recorded losses(const std::string &what, const std::string &options = {}) {
    return record_program(TOFT_RECORD_LOSSES, what, options);
}

// Objects of that size that were freed, or resized.
std::size_t gone(const read_back &r, std::uint64_t bytes) {
    std::set<std::uint64_t> live;
    std::size_t count = 0;
    for (const heap_event &e : r.events) {
        if (e.call != heap_call::allocate)
            count += live.erase(e.call == heap_call::free ? e.address : e.old_address);
        if (e.call != heap_call::free && e.bytes == bytes) live.insert(e.address);
    }
    return count;
}

} // namespace

TEST_CASE("toft record: what destructors of linked libraries free is recorded") {
    const recorded made = losses("nothing");
    CAPTURE(made.run.err);
    REQUIRE(made.run.status == 0);
    const read_back r = read_all(made.path);
    CHECK(of_size(r, 4301).size() == 100);
    CHECK(gone(r, 4301) == 100);
    CHECK(r.what.incomplete.empty());
}

TEST_CASE("toft record: what kills in such a destructor takes nothing of what came before along") {
    const recorded made = losses("killed");
    CHECK(made.run.status == 128 + SIGKILL);
    CHECK(of_size(read_all(made.path), 4701).size() == 100);
}

TEST_CASE("toft record: a program that is killed after an exec that failed became no other") {
    const recorded made = losses("killed-after-exec");
    CHECK(made.run.status == 128 + SIGKILL);
    CHECK_FALSE(contains(unwrapped(made.run.err), "became another program"));
    CHECK(contains(unwrapped(made.run.err), "ignal 9"));
    const read_back r = read_all(made.path);
    CHECK(of_size(r, 4801).size() == 10);
    CHECK_FALSE(r.what.incomplete.empty());
}

TEST_CASE(
    "toft record: a file of the program's that has the number of the standard error is safe") {
    const std::string path = scratch("daemon.toft"), own = scratch("daemon-own");
    const run_result r = run_toft("record -o '" + path + "' -- '" TOFT_RECORD_LOSSES "' daemon '" +
                                  path + "' '" + own + "'");
    CAPTURE(r.err);
    CHECK(r.status == 1);
    CHECK(contents_of(own) == "its data");
}

TEST_CASE("toft record --sample: a thread's first object is chosen as any other is") {
    const recorded made = losses("firsts", "--sample 1024");
    REQUIRE(made.run.status == 0);
    CHECK(of_size(read_all(made.path), 30001).size() == 200); // one is missing in 10^10 runs
    constexpr double count = 1000;
    const recorded of_mean = losses("firsts-of-mean", "--sample 1024");
    REQUIRE(of_mean.run.status == 0);
    const double chance = 1 - std::exp(-1), spread = std::sqrt(count * chance * (1 - chance));
    const auto found = static_cast<double>(of_size(read_all(of_mean.path), 1024).size());
    CAPTURE(found);
    CHECK(std::abs(found - count * chance) < 6 * spread);
}

TEST_CASE("toft record: what a thread does for which there is no memory counts as missed") {
    const recorded made = losses("starve");
    CAPTURE(made.run.err);
    REQUIRE(made.run.status == 0);
    const read_back r = read_all(made.path);
    CHECK(of_size(r, 4401).size() + r.what.missed_events / 2 >= 1000);
}

TEST_CASE("toft record: a child that can open no file at first is recorded from when it can") {
    const recorded made = losses("crowd");
    CAPTURE(made.run.err);
    CHECK(contains(made.run.err, "Too many open files; recording ends here")); // the second child's
    const std::vector<std::string> paths = children_of(made.path);
    REQUIRE(paths.size() == 1);
    const read_back r = read_all(paths.front());
    CHECK(r.what.incomplete.empty());
    CHECK(r.what.missed_events == 10);
    CHECK(of_size(r, 4501).empty());
    CHECK(of_size(r, 4502).size() == 20);
}

TEST_CASE("toft record: a free that tells the size is a free") {
    const recorded made = losses("by-size");
    REQUIRE(made.run.status == 0);
    const read_back r = read_all(made.path);
    CHECK(of_size(r, 4601).size() == 10);
    CHECK(gone(r, 4601) == 10);
    CHECK(gone(r, std::uint64_t{64} * 73) == 10);
}

TEST_CASE("toft record: a library in the place of a converter that the C library unloaded") {
    const std::string folder = scratch("loaded");
    std::filesystem::create_directory(folder);
    std::string words = "convert";
    std::set<std::string> libraries;
    for (int i = 0; i != 8; ++i) {
        const std::string copy = folder + "/" + std::to_string(i) + ".so";
        std::filesystem::copy_file(TOFT_RECORD_LIBRARY_A, copy);
        words += " '" + copy + "'";
        libraries.insert(copy);
    }
    const recorded made = losses(words);
    if (made.run.status == 77) {
        MESSAGE("left out: the C library has unloaded no converter");
        return;
    }
    REQUIRE(made.run.status == 0);
    const read_back r = read_all(made.path);
    const std::vector<heap_event> objects = of_size(r, 2101);
    CHECK(objects.size() == libraries.size());
    for (const heap_event &e : objects)
        CHECK(libraries.erase(r.what.modules[r.what.stacks[e.stack].module].path) == 1);
}
