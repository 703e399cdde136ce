// SPDX-License-Identifier: MIT
// The suite `programs`: every library that is here does its work on every memory, finds what it
// must, and takes its memory through its hook; what isn't here is left out by name.
#include "command.hpp"
#include "run/runner.hpp"
#include "subject/registry.hpp"
#include "workloads/programs/documents.hpp"
#include "workloads/programs/libraries.hpp"

#include <doctest/doctest.h>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

using namespace toft::lab;

namespace {

bool is_any_here() {
    for (const program_case &c : program_cases())
        if (why_missing(c).empty()) return true;
    return false;
}

// Measured once for all tests.
const nlohmann::json &result() {
    static const nlohmann::json parsed = [] {
        const std::string path = scratch("programs.json");
        const run_result r =
            run_toft("bench programs --size 3 --repetitions 1 --allocators glibc --json " + path);
        CAPTURE(r.out);
        CAPTURE(r.err);
        REQUIRE(r.status == 0);
        return nlohmann::json::parse(contents_of(path));
    }();
    return parsed;
}

const nlohmann::json &rows() { return result()["suites"][0]["rows"]; }

struct counted_ends {
    static inline int ends = 0;
    static void end() { ++ends; }
};

struct reader : document_program<json_document, counted_ends> {
    using document_program::document_program;
    std::uint64_t read(json_document &d, const std::function<void()> &note_peak) override {
        note_peak();
        return d.sum;
    }
};

suite suite_without_a_library() {
    bench_case absent{.name = "absent", .title = "absent", .missing = "not built: planted"};
    return {.name = "made",
            .summary = "made",
            .size = {"objects", 1, 1, 1, 1},
            .cases = {{.name = "present", .title = "present"}, absent},
            .subjects = {{.name = "one", .run = [](session &) {}}}};
}

} // namespace

TEST_CASE("suite programs: each library that is here has its subjects, and none fails") {
    if (!is_any_here()) return;
    std::map<std::string, std::set<std::string>> subjects;
    for (const auto &row : rows()) {
        CAPTURE(row["case"].get<std::string>());
        CAPTURE(row["subject"].get<std::string>());
        CHECK(row["problem"] == "");
        subjects[row["case"]].insert(row["subject"]);
    }
    const std::set<std::string> kept = {"malloc", "toft::pool", "toft::reap", "toft::arena"};
    const std::set<std::string> dropped = {"toft::pool, frees dropped", "toft::reap, frees dropped",
                                           "toft::arena, frees dropped"};
    for (const program_case &c : program_cases()) {
        CAPTURE(c.name);
        std::set<std::string> expected = c.only_drops ? std::set<std::string>{"malloc"} : kept;
        if (c.can_drop_frees) expected.insert(dropped.begin(), dropped.end());
        if (why_missing(c).empty())
            CHECK(subjects[c.name] == expected);
        else
            CHECK_FALSE(subjects.contains(c.name));
    }
}

TEST_CASE("suite programs: all rows of a case find the same and do the same in all rounds") {
    if (!is_any_here()) return;
    std::map<std::string, double> sum_of_case;
    for (const auto &row : rows()) {
        const std::string name = row["case"];
        CAPTURE(name);
        CAPTURE(row["subject"].get<std::string>());
        const auto &sample = row["samples"][0];
        const double sum = sample["figures"]["sum"];
        CHECK(sum > 0);
        CHECK(sum_of_case.emplace(name, sum).first->second == sum);
        CHECK(row["counted"]["figures"]["sum"] == sum);
        CHECK(sample["phases"].size() == find_program_case(name).rounds);
        for (const auto &phase : sample["phases"])
            CHECK(phase["operations"] == sample["phases"][0]["operations"]);
    }
}

TEST_CASE("suite programs: on Toft, a library leaves the heap alone") {
    if (!is_any_here()) return;
    std::map<std::string, double> on_malloc;
    for (const auto &row : rows())
        if (row["subject"] == "malloc") on_malloc[row["case"]] = row["counted"]["heap"]["bytes"];
    for (const auto &row : rows()) {
        if (row["subject"] == "malloc") continue;
        CAPTURE(row["case"].get<std::string>());
        CAPTURE(row["subject"].get<std::string>());
        CHECK(row["counted"]["heap"]["bytes"] < on_malloc[row["case"]] / 2);
    }
}

TEST_CASE("a case whose library isn't here is left out by name") {
    const suite made = suite_without_a_library();
    settings chosen;
    chosen.suites = {&made};
    chosen.repetitions = 1;
    const bench_result planned = plan(chosen);
    REQUIRE(planned.left_out.size() == 1);
    CHECK(planned.left_out[0].what == "absent");
    CHECK(planned.left_out[0].why == "not built: planted");
    REQUIRE(planned.suites.size() == 1);
    REQUIRE(planned.suites[0].rows.size() == 1);
    CHECK(planned.suites[0].rows[0].case_name == "present");

    chosen.filter = "absent/";
    CHECK_THROWS_WITH_AS(plan(chosen),
                         "nothing matches --filter 'absent/'; absent is left out: not built: "
                         "planted; toft bench --list shows what there is",
                         std::invalid_argument);

    if (!is_any_here()) return;
    std::set<std::string> named;
    for (const auto &l : result()["left_out"]) named.insert(l["what"]);
    for (const program_case &c : program_cases())
        CHECK(named.contains(c.name) == !why_missing(c).empty());
}

TEST_CASE("a suite that is measured only by name isn't among the default ones") {
    CHECK(find_suite("programs").only_by_name);
    CHECK(contains(run_toft("bench --list").out, "(measured only when it is named)"));
    CHECK(run_toft("bench --filter programs/").status == 2);
}

TEST_CASE("a module that can't be loaded is told by its name") {
    const program_case absent{"absent", "absent", "program_absent.so", "a library", true, false, 1};
    CHECK(why_missing(absent) == "not built: it needs a library");
    CHECK_THROWS_AS(load_program(absent), std::runtime_error);
}

TEST_CASE("documents are the same for the same seed, and as large as was asked for") {
    const xml_document xml = xml_maker::make(10'000, 1);
    CHECK(xml.text == xml_maker::make(10'000, 1).text);
    CHECK(xml.text != xml_maker::make(10'000, 2).text);
    CHECK(xml.text.size() >= 10'000);
    CHECK(xml.text.size() < 12'000);
    const json_document json = json_maker::make(10'000, 1);
    CHECK(json.text == json_maker::make(10'000, 1).text);
    CHECK(json.text.size() >= 10'000);
    CHECK(json.text.size() < 20'000);
    CHECK(nlohmann::json::accept(json.text));
    CHECK(json.sum > json.text_bytes);
    CHECK(percent_of(10, 1) == 1);
    CHECK(percent_of(200, 50) == 100);
}

TEST_CASE("a program reads all its documents, and notes the peak at the last one") {
    const auto documents = make_documents<json_maker>(3, 100);
    CHECK(documents.size() == 3);
    reader program(documents);
    CHECK(program.operations() == 3);
    CHECK(program.expected_sum() == documents[0].sum + documents[1].sum + documents[2].sum);
    int ends_before_peak = 0, peaks = 0;
    const std::uint64_t sum = program.round([&] {
        ++peaks;
        ends_before_peak = counted_ends::ends;
    });
    CHECK(sum == program.expected_sum());
    CHECK(peaks == 1);
    CHECK(ends_before_peak == 2);
    CHECK(counted_ends::ends == 3);
}
