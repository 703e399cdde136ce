// SPDX-License-Identifier: MIT
// The suite `binary-trees`: every subject plays the Game by its rules, asks of the heap what its
// text says, and Go's are named where there is no Go.
#include "command.hpp"
#include "workloads/binary-trees/game.hpp"

#include <doctest/doctest.h>
#include <filesystem>
#include <nlohmann/json.hpp>

using namespace toft::lab;

namespace {

// As the Benchmarks Game publishes it.
const std::string output_of_10 = "stretch tree of depth 11\t check: 4095\n"
                                 "1024\t trees of depth 4\t check: 31744\n"
                                 "256\t trees of depth 6\t check: 32512\n"
                                 "64\t trees of depth 8\t check: 32704\n"
                                 "16\t trees of depth 10\t check: 32752\n"
                                 "long lived tree of depth 10\t check: 2047\n";

} // namespace

TEST_CASE("the output is the Game's, whatever the trees are made of") {
    CHECK(output_of_game(10) == output_of_10);
    for (forest_maker *make : {forest_on_new, forest_on_pmr_monotonic, forest_on_pmr_buffer,
                               forest_on_pmr_pool, forest_on_toft}) {
        CHECK(play_game(10, make) == output_of_10);
        CHECK(play_game(9, make) == output_of_game(9));
        CHECK(play_game(0, make) == output_of_game(6)); // the least there is
    }
}

TEST_CASE("a game of 21 makes as many nodes as it is known for") {
    CHECK(nodes_of_game(21) == 613'766'494);
    CHECK(nodes_of_game(0) == nodes_of_game(6));
    CHECK(trees_of_game(6) == 2 + 64 + 16);
}

TEST_CASE("suite binary-trees: heap allocations are those of the text") {
    constexpr unsigned n = 8;
    constexpr std::uint64_t threads_and_text = 1000;
    const std::string path = scratch("binary-trees.json");
    const run_result r =
        run_toft("bench binary-trees --size 8 --repetitions 1 --allocators glibc --json " + path);
    CAPTURE(r.out);
    CAPTURE(r.err);
    CHECK(r.status == 0);
    const auto result = nlohmann::json::parse(contents_of(path));
    const auto &rows = result["suites"][0]["rows"];
    CHECK(rows.size() >= 5);
    CHECK(rows.size() + result["left_out"].size() == 16);
    for (const auto &row : rows) {
        const std::string subject = row["subject"];
        CAPTURE(subject);
        const auto &sample = row["samples"][0];
        const std::uint64_t allocations = row["counted"]["heap"]["allocations"];
        if (subject == "new + delete" || subject == "Go, naive") {
            CHECK(allocations >= nodes_of_game(n));
            CHECK(allocations < nodes_of_game(n) + threads_and_text);
        } else if (subject == "toft::arena" || subject == "Go, toft.Slab") {
            CHECK(allocations < threads_and_text);
        }
        CHECK(sample["figures"].contains("collections") == subject.starts_with("Go, "));
        CHECK(sample["version"].get<std::string>().starts_with("go1.") ==
              subject.starts_with("Go, "));
        CHECK(sample["peak_bytes"] > 0);
        CHECK(sample["phases"][0]["wall_ns"] > 0);
    }
}

TEST_CASE("without Go's program the suite says so and goes on") {
    namespace fs = std::filesystem;
    const fs::path bare = scratch("bare");
    fs::create_directories(bare / "bin");
    fs::create_directories(bare / "lib" / "toft");
    fs::copy_file(TOFT_COMMAND, bare / "bin" / "toft");
    fs::copy_file(TOFT_HEAP_COUNTER, bare / "lib" / "toft" / "heap_counter.so");
    const run_result r =
        run_command((bare / "bin" / "toft").string(),
                    "bench binary-trees --size 6 --repetitions 1 --allocators glibc");
    CHECK(r.status == 0);
    CHECK(r.out.find("Go, toft.Slab: not built: it needs Go 1.24") != std::string::npos);
    CHECK(r.out.find("toft::arena") != std::string::npos);
    CHECK(r.out.find("go1.") == std::string::npos);
}
