// SPDX-License-Identifier: MIT
// The suite `arena`: many small objects that die together, in bulk (10 M objects of 8 bytes, of 32,
// of 8 to 256 mixed) and in short lives (see the cases below).
#include "measure.hpp"
#include "peers.hpp"
#include "regions.hpp"
#include "subject/registry.hpp"
#include "tables.hpp"

namespace toft::lab {
namespace {

subject make_subject(std::string name, const toft_region_loops &loops) {
    return {.name = std::move(name),
            .run = [&loops](session &run) { measure_region(run, loops); },
            .cases = cases_of(loops)};
}

subject make_limit(std::string name, const toft_region_loops &loops) {
    subject s = make_subject(std::move(name), loops);
    s.competes = false;
    return s;
}

subject make_peer(const peer &p) {
    return {.name = p.name,
            .run = [p](session &run) { measure_region(run, load_peer(p)); },
            .missing = why_missing(p)};
}

} // namespace

suite arena_suite() {
    subject on_malloc = make_subject("malloc + free", malloc_loops);
    on_malloc.by_allocator = true;
    suite s = {
        .name = "arena",
        .summary = "allocate small objects that die together",
        .size = {"number of objects", 10'000, 1'000'000'000, 10'000'000, 2'000'000},
        .cases = {{"8", "8 bytes"},
                  {"32", "32 bytes"},
                  {"mixed", "8 to 256 bytes"},
                  {"hot", "1000 × 8 bytes, then a reset", 5},
                  {"request", "an arena made, 100 × 32 bytes, released", 5},
                  {"one", "an arena made, 1 × 64 bytes, released", 5}},
        .subjects = {make_limit(raw_subject, raw_loops),
                     make_limit("raw, pages of 4 KiB", raw_small_page_loops),
                     make_limit("raw, in a register", raw_register_loops),
                     make_subject("toft::arena", toft_loops), std::move(on_malloc),
                     make_subject("pmr monotonic", pmr_loops),
                     make_subject("pmr over one buffer", pmr_buffer_loops),
                     make_subject("obstack", obstack_loops)},
        .print = print_arena_tables,
    };
    for (const peer &p : known_peers()) s.subjects.push_back(make_peer(p));
    return s;
}

} // namespace toft::lab
