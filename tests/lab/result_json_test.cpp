// SPDX-License-Identifier: MIT
#include "command.hpp"
#include "result/result_file.hpp"
#include "result/result_json.hpp"
#include "rows.hpp"

#include <doctest/doctest.h>
#include <stdexcept>

using namespace toft::lab;

TEST_CASE("a measurement survives its way through the pipe") {
    measurement m = measured("work", 7, 1000);
    m.heap = {1, 2, 3};
    m.expected_heap_allocations = 4;
    m.chunks = 5;
    m.peak_bytes = 6;
    m.figures = {{"collections", 7}};
    m.version = "1.2";
    m.failure = "because";
    const auto back = nlohmann::json::parse(nlohmann::json(m).dump()).get<measurement>();
    CHECK(nlohmann::json(back) == nlohmann::json(m));
    CHECK(back.phases[0].spent.cpu_ns == 1000);
    CHECK(back.heap.bytes == 3);
    CHECK(back.figures.at("collections") == 7);
    CHECK_THROWS_AS(nlohmann::json::object().get<measurement>(), nlohmann::json::exception);
}

TEST_CASE("the result file holds every sample of every row, and the circumstances") {
    const std::string path = scratch("tree.json");
    REQUIRE(run_toft("bench tree --size 4 --repetitions 2 --json " + path).status == 0);
    const auto j = nlohmann::json::parse(contents_of(path));
    CHECK(j["schema"] == "toft-bench");
    CHECK(j["schema_version"] == result_schema_version);
    for (const char *key : {"cpu", "cpus", "kernel", "huge_pages", "frequency_mhz", "memory_bytes"})
        CHECK_MESSAGE(j["machine"].contains(key), key);
    for (const char *key : {"compiler", "flags", "type", "optimised", "toft_version"})
        CHECK_MESSAGE(j["build"].contains(key), key);
    CHECK(j["allocators"][0]["name"] == "glibc");
    CHECK(j["allocators"][0]["version"] != "");
    const auto &rows = j["suites"][0]["rows"];
    CHECK(rows.size() >= 8);
    for (const auto &row : rows) {
        CHECK(row["samples"].size() == 2);
        CHECK(row["figures"].size() == 9); // 4 of the first round, 5 of the later ones
        CHECK(row["figures"][0]["cpu_ns"]["values"].size() == 2);
        CHECK_FALSE(row["counted"].is_null());
        CHECK(row["samples"][0]["phases"][0].contains("wall_ns"));
        CHECK(row["samples"][0]["peak_bytes"] > 0);
    }
}

TEST_CASE("a result file is read back as what was written, and a broken one is told") {
    const std::string path = scratch("back.json");
    // What is sound, and what ends without an answer.
    REQUIRE(
        run_toft("bench planted --filter planted/planted/s --size 1000 --json " + path).status ==
        1);
    auto document = nlohmann::json::parse(contents_of(path));
    const bench_result result = read_result(path);
    CHECK(to_document(result) == document);
    CHECK(result.suites.front().rows.size() == document["suites"][0]["rows"].size());
    document["suites"][0]["rows"][0]["verdict"] = "good";
    write_to(path, document.dump());
    CHECK_THROWS_AS(read_result(path), std::runtime_error);
    document["suites"][0]["rows"][0].erase("verdict");
    write_to(path, document.dump());
    CHECK_THROWS_AS(read_result(path), std::runtime_error);
}

TEST_CASE("what is Toft's, and when a figure is noisy, are fields of each row") {
    const std::string path = scratch("fields.json");
    REQUIRE(
        run_toft("bench tree --size 4 --repetitions 1 --allocators glibc --json " + path).status ==
        0);
    const auto result = nlohmann::json::parse(contents_of(path));
    REQUIRE(result["suites"][0]["rows"].size() > 0);
    for (const auto &row : result["suites"][0]["rows"]) {
        CHECK(row["is_toft"] == row["subject"].get<std::string>().starts_with("toft::"));
        CHECK(row["noisy_spread"] == 0.15);
    }
}
