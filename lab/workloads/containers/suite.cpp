// SPDX-License-Identifier: MIT
// The suite `containers`: the standard library's containers on every kind of memory, phase by
// phase, on 1, 5 and 10 threads that each have their own.
//
// It is measured by the lab's own runner, where each subject has a process of its own. Google
// Benchmark runs all subjects in one process, so that each gets the heap as the last one left it;
// and before version 1.9 it divides times by the number of threads.
#include "programs.hpp"
#include "subject/registry.hpp"

#include <array>
#include <fmt/format.h>
#include <initializer_list>

namespace toft::lab {
namespace {

struct kind {
    const char *name;
    const char *title;
    container_program *container_programs::*program;
    std::array<unsigned, 3> threads; // 0: none
    double stored_bytes;             // of a heap object; see bench_case
};

constexpr std::array<unsigned, 3> all_threads = {1, 5, 10};
constexpr std::array<unsigned, 3> one_thread = {1, 0, 0};
constexpr kind kinds[] = {
    {"list", "std::list<int>", &container_programs::list, all_threads, 20},
    {"vector", "std::vector<int>, no reserve", &container_programs::vector, all_threads, 512},
    {"map", "std::map<int, int>", &container_programs::map, all_threads, 36},
    {"unordered_map", "std::unordered_map<int, int>", &container_programs::hash, all_threads, 16},
    {"string", "a list of strings, each appended to", &container_programs::string, all_threads, 44},
    {"rolling-list", "std::list, one goes and one comes", &container_programs::rolling_list,
     all_threads, 20},
    {"small-vector", "std::vector of 16 ints, each in its own memory",
     &container_programs::small_vector, all_threads, 24},
    {"small-vector-64", "std::vector of 64 ints, each in its own memory",
     &container_programs::small_vector, one_thread, 72},
    {"pair", "64 bytes allocated and freed at once", &container_programs::pair, one_thread, 0},
    {"resource", "8 bytes by memory_resource::allocate", &container_programs::resource, one_thread,
     0},
    {"resource-hot", "8 bytes by memory_resource::allocate, 1000 to a release",
     &container_programs::resource, one_thread, 0},
};

std::string case_name(const kind &k, unsigned threads) {
    return threads == 1 ? k.name : fmt::format("{}-{}", k.name, threads);
}

subject make_subject(std::string name, const container_programs &programs) {
    subject s = {.name = std::move(name), .run = [&programs](session &run) {
                     for (const kind &k : kinds)
                         for (const unsigned threads : k.threads)
                             if (threads != 0 && run.case_name() == case_name(k, threads))
                                 (programs.*k.program)(run, threads);
                 }};
    for (const kind &k : kinds)
        for (const unsigned threads : k.threads)
            if (threads != 0 && programs.*k.program) s.cases.push_back(case_name(k, threads));
    return s;
}

// Five threads lie between the other two numbers; the rolling list on ten takes a fifth of the time
// of a whole default run, which is to stay within five minutes.
bool is_only_full(const kind &k, unsigned threads) {
    return threads == 5 || (threads == 10 && std::string(k.name) == "rolling-list");
}

std::vector<bench_case> make_cases() {
    std::vector<bench_case> cases;
    for (const kind &k : kinds)
        for (const unsigned threads : k.threads) {
            if (threads == 0) continue;
            const std::string title =
                threads == 1 ? k.title : fmt::format("{}, on {} threads", k.title, threads);
            cases.push_back({.name = case_name(k, threads),
                             .title = title,
                             .threads = threads,
                             .only_full = is_only_full(k, threads),
                             .family = k.title,
                             .stored_bytes = k.stored_bytes});
        }
    return cases;
}

subject on_malloc(subject s) {
    s.by_allocator = true;
    return s;
}

subject of_toft(std::string name, const container_programs &programs) {
    subject s = make_subject(std::move(name), programs);
    s.is_toft = true;
    return s;
}

std::vector<std::string> names_of_cases(std::initializer_list<const char *> of_kinds) {
    std::vector<std::string> names;
    for (const kind &k : kinds)
        for (const char *name : of_kinds)
            for (const unsigned threads : k.threads)
                if (std::string(k.name) == name && threads != 0)
                    names.push_back(case_name(k, threads));
    return names;
}

// A table for each case: its phases, and all of them together; ratios; what it asks of the heap.
suite_table make_table(std::initializer_list<const char *> of_kinds, const std::string &unit,
                       quantity shows, const std::vector<std::string> &phases,
                       unsigned last_round = container_rounds) {
    suite_table t = {.heading = "containers: {case}, " + unit, .cases = names_of_cases(of_kinds)};
    const selection all{phases, first_warm_round, last_round};
    for (const std::string &phase : phases)
        t.columns.push_back({phase, shows, {{phase}, first_warm_round, last_round}, {}, true});
    if (phases.size() > 1) t.columns.push_back({"all", shows, all, {}, true});
    t.columns.back().contest = "warm rounds"; // of the only phase, or of all together
    t.columns.push_back({"±", quantity::spread, all});
    t.columns.push_back({"÷arena", quantity::ratio, all, {}, false, "toft::arena"});
    t.columns.push_back({"÷reap", quantity::ratio, all, {}, false, "toft::reap"});
    t.columns.push_back({"heap calls", quantity::heap_allocations, {}, "one round"});
    t.columns.push_back({"KiB", quantity::heap_kibibytes, {}, "one round"});
    return t;
}

// The phases of the rolling list have different numbers of operations: a whole round counts, in ms.
std::vector<suite_table> make_tables() {
    using enum quantity;
    std::vector<suite_table> tables = {
        make_table({"list", "vector", "map", "unordered_map", "string"}, "CPU ns for an element",
                   nanoseconds, {"build", "churn", "traverse", "teardown"}),
        make_table({"rolling-list"}, "CPU ms of all threads", milliseconds,
                   {"build", "steps", "teardown"}, rolling_list_rounds),
        make_table({"small-vector", "small-vector-64"}, "CPU ns for a vector", nanoseconds,
                   {"pushes"}),
        make_table({"pair"}, "CPU ns for a pair", nanoseconds, {"pairs"}),
        make_table({"resource", "resource-hot"}, "CPU ns for an allocation", nanoseconds,
                   {"allocations"})};
    return tables;
}

std::string make_note() {
    return fmt::format(
        "Rounds {0} to {1} of a process, each with memory and container made anew; {0} to {2} of "
        "the rolling list, of which each step touches all elements, erases the first and adds one. "
        "CPU time is that of all threads, for each of their operations. ÷arena, ÷reap: the whole "
        "divided by toft::arena's and toft::reap's. buffer, stack: over a first buffer of one "
        "size, from the heap or on the stack. reserve: each vector's room is reserved first. heap "
        "calls and KiB: what a round asks of malloc, counted in a run of its own, in which arenas "
        "and reaps take their chunks from malloc too; the pool takes blocks from the system, "
        "unseen.",
        first_warm_round, container_rounds, rolling_list_rounds);
}

const added_suite added([] {
    return suite{
        .name = "containers",
        .summary = "standard containers on arenas, reaps, pools, std::pmr and malloc",
        .size = {"elements of a list", 1'000, 100'000, 100'000, 10'000},
        .cases = make_cases(),
        .subjects = {on_malloc(make_subject("new/delete", heap_programs)),
                     on_malloc(make_subject("new/delete, reserve", heap_reserve_programs)),
                     make_subject("pmr monotonic", monotonic_programs),
                     make_subject("pmr monotonic, buffer", monotonic_buffer_programs),
                     make_subject("pmr monotonic, stack", monotonic_stack_programs),
                     make_subject("pmr unsync. pool", pool_programs),
                     make_subject("pmr unsync. pool, buffer", pool_buffer_programs),
                     make_subject("pmr unsync. pool, stack", pool_stack_programs),
                     make_subject("pmr sync. pool", sync_pool_programs),
                     make_subject("pmr sync. pool, buffer", sync_pool_buffer_programs),
                     make_subject("pmr sync. pool, stack", sync_pool_stack_programs),
                     of_toft("toft::arena", arena_programs),
                     of_toft("toft::arena, stack", arena_stack_programs),
                     of_toft("toft::region_vector, stack", region_vector_programs),
                     of_toft("toft::reap", reap_programs),
                     of_toft("toft::reap, stack", reap_stack_programs),
                     of_toft("toft::pool, shared", shared_pool_programs),
                     of_toft("toft::pool, handle", pool_handle_programs),
                     of_toft("toft::arena_resource", arena_resource_programs),
                     of_toft("toft::arena_resource, stack", arena_resource_stack_programs),
                     of_toft("toft::reap_resource", reap_resource_programs),
                     of_toft("toft::reap_resource, stack", reap_resource_stack_programs),
                     of_toft("toft::pool_resource, shared", pool_resource_programs)},
        .tables = make_tables(),
        .note = make_note(),
        .place = 4,
    };
});

} // namespace
} // namespace toft::lab
