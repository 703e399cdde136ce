// SPDX-License-Identifier: MIT
// The suite `arena`: many small objects that die together, in bulk (10 M objects of 8 bytes, of 32,
// of 8 to 256 mixed) and in short lives (see the cases below).
#include "measure.hpp"
#include "peers.hpp"
#include "regions.hpp"
#include "subject/registry.hpp"

namespace toft::lab {
namespace {

subject make_subject(std::string name, const toft_region_loops &loops) {
    return {.name = std::move(name),
            .run = [&loops](session &run) { measure_region(run, loops); },
            .cases = cases_of(loops)};
}

subject make_yardstick(std::string name, const toft_region_loops &loops) {
    subject s = make_subject(std::move(name), loops);
    s.competes = false;
    return s;
}

subject make_peer(const peer &p) {
    return {.name = p.name,
            .run = [p](session &run) { measure_region(run, load_peer(p)); },
            .missing = why_missing(p)};
}

// The same with the chance of huge pages that Toft's chunks have. Short lives need too little
// memory for it to matter.
subject on_huge_pages(subject s, std::string setting = regions_on_huge_pages) {
    s.name += ", huge pages";
    s.cases = {"8", "32", "mixed"};
    s.setting = std::move(setting);
    return s;
}

subject toft_subject(std::string name, const toft_region_loops &loops) {
    subject s = make_subject(std::move(name), loops);
    s.is_toft = true;
    return s;
}

// The row that ratios are to.
constexpr const char *raw_subject = "raw pointer";

// How a region is filled, filled again and released: a table for each size of objects.
suite_table bulk_table() {
    const selection fresh{{"fresh"}, 1, 1};
    const selection reused{{"reused"}, first_reused_round, last_reused_round};
    const selection freed{{"free"}, 1, 1};
    return {.heading = "arena: {size} objects of {case}, per allocation",
            .cases = {"8", "32", "mixed"},
            .columns = {decides({"ns", quantity::nanoseconds, fresh, "fresh", true}, "fresh"),
                        {"±", quantity::spread, fresh, "fresh"},
                        {"/µs", quantity::per_microsecond, fresh, "fresh"},
                        {"÷raw", quantity::ratio, fresh, "fresh", false, raw_subject},
                        decides({"ns", quantity::nanoseconds, reused, "reused", true}, "reused"),
                        {"±", quantity::spread, reused, "reused"},
                        {"/µs", quantity::per_microsecond, reused, "reused"},
                        {"÷raw", quantity::ratio, reused, "reused", false, raw_subject},
                        {"ns", quantity::nanoseconds, freed, "free", true},
                        {"MiB", quantity::peak_mebibytes, {}, "peak", true},
                        {.header = "huge",
                         .shows = quantity::figure,
                         .group = "peak",
                         .name = huge_bytes,
                         .scale = 1.0 / (1 << 20)}},
            .note =
                "fresh: a new region filled, cold memory. reused: filled again and reset, or every "
                "object freed. free: a full region released, or every object freed. ÷raw: divided "
                "by moving a raw pointer through memory on huge pages (a static buffer for short "
                "lives). Each object's first 8 bytes are written. huge pages: toft::arena asks the "
                "kernel for them where it fills them; the others don't by themselves, so that each "
                "that can has a row on memory for which that is done. huge: the MiB that lie on "
                "them when the new region is full."};
}

suite_table short_table() {
    const selection looped{{"loop"}, first_loop_round, last_loop_round};
    return {.heading = "arena: short lives in a warm cache, per allocation",
            .cases = {"hot", "request", "one"},
            .lines = table_lines::subjects,
            .columns = {decides({"ns", quantity::nanoseconds, looped, {}, true}, "in a loop"),
                        {"±", quantity::spread, looped},
                        {"÷raw", quantity::ratio, looped, {}, false, raw_subject}},
            .note = "hot: 1000 × 8 bytes, then a reset, in a loop. request: an arena made, 100 × "
                    "32 bytes, released, in a loop. one: an arena made, 1 × 64 bytes, released, in "
                    "a loop."};
}

suite make_suite() {
    subject on_malloc = make_subject("malloc + free", malloc_loops);
    on_malloc.by_allocator = true;
    suite s = {
        .name = "arena",
        .summary = "allocate small objects that die together",
        .size = {"number of objects", 10'000, 1'000'000'000, 10'000'000, 1'000'000},
        .cases = {{"8", "8 bytes"},
                  {"32", "32 bytes"},
                  {"mixed", "8 to 256 bytes"},
                  {"hot", "1000 × 8 bytes, then a reset", 5},
                  {"request", "an arena made, 100 × 32 bytes, released", 5},
                  {"one", "an arena made, 1 × 64 bytes, released", 5}},
        .subjects = {make_yardstick(raw_subject, raw_loops),
                     make_yardstick("raw pointer, pages of 4 KiB", raw_small_page_loops),
                     make_yardstick("raw pointer, in a register", raw_register_loops),
                     toft_subject("toft::arena", toft_loops), std::move(on_malloc),
                     make_subject("pmr monotonic", pmr_loops),
                     on_huge_pages(make_subject("pmr monotonic", pmr_loops)),
                     make_subject("pmr over one buffer", pmr_buffer_loops),
                     make_subject("pmr over one buffer, huge pages", pmr_huge_buffer_loops),
                     make_subject("obstack", obstack_loops),
                     on_huge_pages(make_subject("obstack", obstack_loops))},
        .tables = {bulk_table(), short_table()},
        .place = 2,
    };
    for (bench_case &c : s.cases) c.stored_bytes = sizeof(void *); // the link of its chain
    for (const peer &p : known_peers()) {
        s.subjects.push_back(make_peer(p));
        if (why_missing(p).empty() && !p.huge_pages_setting.empty())
            s.subjects.push_back(on_huge_pages(make_peer(p), p.huge_pages_setting));
    }
    return s;
}

const added_suite added(make_suite);

} // namespace
} // namespace toft::lab
