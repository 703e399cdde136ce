// SPDX-License-Identifier: MIT
// The suite `containers`: the standard library's containers on every kind of memory, phase by
// phase, on 1, 5 and 10 threads that each have their own.
//
// It is measured by the lab's own runner and not by Google Benchmark: that runs all subjects in one
// process, where the first leaves the heap to the next, and before 1.9 divides times by the number
// of threads. Here as everywhere in the lab a subject has a process of its own.
#include "programs.hpp"
#include "subject/registry.hpp"
#include "tables.hpp"

#include <array>
#include <fmt/format.h>

namespace toft::lab {
namespace {

struct kind {
    const char *name;
    const char *title;
    container_program *container_programs::*program;
    std::array<unsigned, 3> threads; // 0: none
};

constexpr std::array<unsigned, 3> all_threads = {1, 5, 10};
constexpr std::array<unsigned, 3> one_thread = {1, 0, 0};
constexpr kind kinds[] = {
    {"list", "std::list<int>", &container_programs::list, all_threads},
    {"vector", "std::vector<int>, no reserve", &container_programs::vector, all_threads},
    {"map", "std::map<int, int>", &container_programs::map, all_threads},
    {"unordered_map", "std::unordered_map<int, int>", &container_programs::hash, all_threads},
    {"string", "a list of strings, each appended to", &container_programs::string, all_threads},
    {"seed-list", "the first experiment's list", &container_programs::seed_list, all_threads},
    {"seed-vector", "its small vectors, 16 ints", &container_programs::seed_vector, all_threads},
    {"seed-vector-64", "its small vectors, 64 ints", &container_programs::seed_vector, one_thread},
    {"pair", "64 bytes allocated and freed at once", &container_programs::pair, one_thread},
    {"resource", "8 bytes by memory_resource::allocate", &container_programs::resource, one_thread},
    {"resource-hot", "the same, 1000 to a release", &container_programs::resource, one_thread},
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
                             .only_full = threads == 5, // between the other two
                             .family = k.title});
        }
    return cases;
}

subject on_malloc(subject s) {
    s.by_allocator = true;
    return s;
}

} // namespace

suite containers_suite() {
    return {
        .name = "containers",
        .summary = "standard containers on arenas, reaps, pools, std::pmr and malloc",
        .size = {"elements of a list", 1'000, 100'000, 100'000, 10'000},
        .cases = make_cases(),
        .subjects = {on_malloc(make_subject("new/delete", heap_programs)),
                     on_malloc(make_subject("new/delete, reserve", heap_reserve_programs)),
                     make_subject("pmr monotonic", monotonic_programs),
                     make_subject("pmr monotonic, stack", monotonic_stack_programs),
                     make_subject("pmr unsync. pool", pool_programs),
                     make_subject("pmr unsync. pool, buffer", pool_buffer_programs),
                     make_subject("pmr unsync. pool, stack", pool_stack_programs),
                     make_subject("pmr sync. pool", sync_pool_programs),
                     make_subject("pmr sync. pool, buffer", sync_pool_buffer_programs),
                     make_subject("pmr sync. pool, stack", sync_pool_stack_programs),
                     make_subject("toft::arena", arena_programs),
                     make_subject("toft::arena, stack", arena_stack_programs),
                     make_subject("toft::region_vector, stack", region_vector_programs),
                     make_subject("toft::reap", reap_programs),
                     make_subject("toft::reap, stack", reap_stack_programs),
                     make_subject("toft::pool, shared", shared_pool_programs),
                     make_subject("toft::pool, handle", pool_handle_programs),
                     make_subject("toft::arena_resource", arena_resource_programs),
                     make_subject("toft::arena_resource, stack", arena_resource_stack_programs),
                     make_subject("toft::reap_resource", reap_resource_programs),
                     make_subject("toft::reap_resource, stack", reap_resource_stack_programs),
                     make_subject("toft::pool_resource, shared", pool_resource_programs)},
        .print = print_container_tables,
    };
}

} // namespace toft::lab
