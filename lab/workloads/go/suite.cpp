// SPDX-License-Identifier: MIT
// The suite `go`: everyday work in Go, allocated in the ordinary way and from Toft, and how the
// settings of Go's collector change the Benchmarks Game's trees. The ways of a piece of work agree
// about its result: a counted run checks it, and so do the tests in
// go/internal/workloads.
#include "program.hpp"
#include "subject/registry.hpp"
#include "workloads/binary-trees/game.hpp"
#include "workloads/binary-trees/go.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace toft::lab {
namespace {

constexpr const char *go_workloads = "go-workloads";
constexpr const char *plain = "Go, naive";
constexpr const char *naive = "naive"; // in Go's programs
constexpr std::uint64_t usual_percent = 100;
constexpr int usual_depth = 18; // of the trees

// A piece of work of go/internal/workloads, and the rounds that it usually has there.
struct piece {
    const char *name;
    const char *title;
    std::uint64_t rounds;
};
constexpr piece pieces[] = {
    {"request", "requests of a server", 120'000}, {"small", "small requests", 2'000'000},
    {"parse", "parsing into a tree", 500},        {"append", "slices that grow", 40'000},
    {"bytes", "buffers of bytes", 100'000},       {"strings", "strings that are joined", 20'000},
    {"intern", "interning of words", 10'000},     {"json", "reading of JSON", 1000},
};

// The trees under settings of Go's runtime.
struct setting {
    const char *name;
    const char *title;
    std::vector<std::string> environment;
};
const std::vector<setting> &settings_of_trees() {
    static const std::vector<setting> all = {
        {"trees-1-cpu", "binary trees, GOMAXPROCS=1", {"GOMAXPROCS=1"}},
        {"trees-gogc-100", "binary trees, GOGC=100", {"GOGC=100"}},
        {"trees-gogc-400", "binary trees, GOGC=400", {"GOGC=400"}},
        {"trees-gogc-off",
         "binary trees, GOGC=off GOMEMLIMIT=1GiB",
         {"GOGC=off", "GOMEMLIMIT=1GiB"}},
        {"trees-memory-limit", "binary trees, GOMEMLIMIT=300MiB", {"GOMEMLIMIT=300MiB"}}};
    return all;
}

void do_piece(session &run, const piece &work, const char *allocator) {
    const std::uint64_t rounds =
        std::max<std::uint64_t>(1, work.rounds * run.size() / usual_percent);
    const auto answer_of = [&](const char *way) {
        return ask_go(go_workloads,
                      {"-work", work.name, "-allocator", way, "-rounds", std::to_string(rounds)});
    };
    const go_answer said = answer_of(allocator);
    run.set_version(said.version);
    run.adopt("work", operations(rounds * said.goroutines), said.report);
    // The naive way once more costs time, which a run that isn't timed has.
    if (run.counted() && allocator != std::string_view(naive))
        run.check(said.output == answer_of(naive).output, "the result isn't that of the naive way");
}

// Half the size means half the nodes.
void grow_trees(session &run, const setting &in, const char *allocator) {
    const double halvings =
        std::log2(static_cast<double>(usual_percent) / static_cast<double>(run.size()));
    const auto n =
        static_cast<unsigned>(std::max(6, usual_depth - static_cast<int>(std::lround(halvings))));
    const go_answer said = ask_go(
        go_binary_trees, {"-json", "-allocator", allocator, std::to_string(n)}, in.environment);
    run.set_version(said.version);
    run.adopt("work", operations(nodes_of_game(n)), said.report);
    run.check(said.output == output_of_game(n), "the output isn't the Game's");
}

// Does the case in Go's program with the allocator of that name.
subject make_subject(std::string name, const char *allocator, std::vector<std::string> cases) {
    const std::string trees = why_go_is_missing(go_binary_trees);
    return {.name = std::move(name),
            .run =
                [=](session &run) {
                    for (const piece &p : pieces)
                        if (run.case_name() == p.name) do_piece(run, p, allocator);
                    for (const setting &s : settings_of_trees())
                        if (run.case_name() == s.name) grow_trees(run, s, allocator);
                },
            .cases = std::move(cases),
            .missing = trees.empty() ? why_go_is_missing(go_workloads) : trees,
            .baseline = plain};
}

subject of_toft(subject s) {
    s.is_toft = true;
    return s;
}

std::vector<std::string> names_of_pieces() {
    std::vector<std::string> names;
    for (const piece &p : pieces) names.emplace_back(p.name);
    return names;
}

std::vector<std::string> names_of_settings() {
    std::vector<std::string> names;
    for (const setting &s : settings_of_trees()) names.emplace_back(s.name);
    return names;
}

std::vector<bench_case> make_cases() {
    std::vector<bench_case> cases;
    for (const piece &p : pieces) cases.push_back({.name = p.name, .title = p.title});
    for (const setting &s : settings_of_trees())
        cases.push_back({.name = s.name, .title = s.title, .only_full = true});
    return cases;
}

suite_table make_table() {
    const selection work{{"work"}, 1, 1};
    return {
        .heading = "go: {case}",
        .columns = {decides({"CPU ms", quantity::milliseconds, work, {}, true}, "CPU time"),
                    {"±", quantity::spread, work},
                    {"×naive", quantity::gain, work},
                    {"wall ms", quantity::wall_milliseconds, work, {}, true},
                    {"peak MiB", quantity::peak_mebibytes, {}, {}, true},
                    {"allocations", quantity::heap_allocations},
                    {.header = "collections", .shows = quantity::figure, .name = go_collections}},
        .note = "naive: as one writes it without any arena. ×naive: the CPU time of that, divided "
                "by the row's. Each piece of work is done by a goroutine for each processor.",
        .version_of = plain};
}

const added_suite added([] {
    return suite{
        .name = "go",
        .summary = "everyday work in Go, and settings of its collector",
        .size = {"percent of the usual rounds", 1, 1000, usual_percent, 20},
        .cases = make_cases(),
        .subjects = {make_subject(plain, naive, {}),
                     of_toft(make_subject("Go, toft.Arena", "arena", names_of_pieces())),
                     of_toft(make_subject("Go, toft.Arena, Grow", "grow", {"append"})),
                     make_subject("Go, encoding/json", "encoding/json", {"json"}),
                     of_toft(make_subject("Go, toft.Slab", "slab", names_of_settings()))},
        .tables = {make_table()},
        .place = 6,
    };
});

} // namespace
} // namespace toft::lab
