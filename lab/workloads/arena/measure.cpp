// SPDX-License-Identifier: MIT
#include "measure.hpp"

#include "regions.hpp"
#include "subject/resident_memory.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <random>

namespace toft::lab {
namespace {

constexpr std::size_t rounded(std::size_t size) { return (size + 7) & ~std::size_t{7}; }

// Random sizes from 8 to 256 bytes, each size as likely as any other. They are computed before
// anything is timed, and every subject gets the same sequence.
std::vector<std::uint16_t> mixed_sizes(std::size_t count) {
    std::minstd_rand random(1);
    std::vector<std::uint16_t> sizes(count);
    for (std::uint16_t &size : sizes) size = static_cast<std::uint16_t>(8 + random() % 249);
    return sizes;
}

// A case in bulk: which loop fills the region, and how much memory that takes.
struct filling {
    const toft_region_loops &loops;
    std::size_t size; // of every object; 0: mixed
    std::size_t count;
    std::vector<std::uint16_t> sizes;

    std::size_t capacity_bytes() const {
        std::size_t bytes = size * count;
        for (const std::uint16_t s : sizes) bytes += rounded(s);
        return bytes;
    }
    void *fill(void *region) const {
        if (size == 8) return loops.fill_8(region, count);
        if (size == 32) return loops.fill_32(region, count);
        return loops.fill_mixed(region, count, sizes.data());
    }
};

// Walks the chain. Every object must be there and aligned, and its link must be what was written.
void check_chain(session &run, const void *first, std::size_t count) {
    std::size_t found = 0;
    bool aligned = true;
    for (; first && found <= count; first = *static_cast<void *const *>(first), ++found)
        aligned &= reinterpret_cast<std::uintptr_t>(first) % 8 == 0;
    run.check(found == count, fmt::format("the chain has {} objects, not {}", found, count));
    run.check(aligned, "an object isn't aligned to 8 bytes");
}

// After the clocks have stopped: a region of the same kind is filled once more, and every byte of
// each object behind its link gets a stamp. An allocator that hands out memory twice loses some.
void check_memory(session &run, const filling &f) {
    filling some = f;
    some.count = std::min<std::size_t>(f.count, 100'000);
    if (!some.sizes.empty()) some.sizes.resize(some.count);
    void *region = some.loops.make(some.capacity_bytes());
    void *first = some.fill(region);
    check_chain(run, first, some.count);
    const auto each_object = [&](auto &&visit) {
        void *object = first;
        for (std::size_t i = 0; object && i != some.count; ++i) {
            const std::size_t size = some.size != 0 ? some.size : some.sizes[i];
            auto *bytes = static_cast<unsigned char *>(object);
            visit(bytes + sizeof(void *), bytes + size, static_cast<unsigned char>(1 + i % 251));
            object = *static_cast<void **>(object);
        }
    };
    each_object([](unsigned char *begin, unsigned char *end, unsigned char stamp) {
        std::fill(begin, end, stamp);
    });
    bool whole = true;
    each_object([&](unsigned char *begin, unsigned char *end, unsigned char stamp) {
        whole &= std::all_of(begin, end, [stamp](unsigned char byte) { return byte == stamp; });
    });
    check_chain(run, first, some.count);
    run.check(whole, "an object lost its bytes to another one");
    some.loops.release(region, first);
}

void measure_bulk(session &run, const filling &f) {
    const std::size_t n = f.count;
    const std::size_t capacity_bytes = f.capacity_bytes();
    void *region = nullptr;
    void *first = nullptr;
    run.timed("fresh", 1, allocations(n), [&] {
        region = f.loops.make(capacity_bytes);
        first = f.fill(region);
    });
    if (run.counted()) {
        check_chain(run, first, n);
    } else {
        run.set_figure(huge_bytes, static_cast<double>(bytes_on_huge_pages()));
        f.loops.reset(region, first);
        for (unsigned round = first_reused_round; round <= last_reused_round; ++round)
            run.timed("reused", round, allocations(n), [&] {
                first = f.fill(region);
                f.loops.reset(region, first);
            });
        first = f.fill(region);
    }
    run.timed("free", 1, operations(n), [&] { f.loops.release(region, first); });
    if (!run.counted()) check_memory(run, f);
}

// A loop of short lives: so many rounds, with so many objects in each.
struct brief_loop {
    void *(*run)(std::size_t rounds);
    std::size_t rounds;
    std::size_t objects;
};

void measure_brief(session &run, const brief_loop &loop) {
    if (!run.counted()) loop.run(loop.rounds);
    for (unsigned round = first_loop_round; round <= last_loop_round; ++round)
        run.timed("loop", round, allocations(loop.rounds * loop.objects),
                  [&] { loop.run(loop.rounds); });
}

filling filling_of(const std::string &case_name, const toft_region_loops &loops,
                   std::size_t count) {
    if (case_name == "8") return {loops, 8, count, {}};
    if (case_name == "32") return {loops, 32, count, {}};
    return {loops, 0, count, mixed_sizes(count)};
}

// Each round makes half as many objects as the bulk cases have, or a sixteenth where each object
// has an arena of its own.
brief_loop brief_loop_of(const std::string &case_name, const toft_region_loops &loops,
                         std::size_t count) {
    if (case_name == "hot") return {loops.hot, count / 2 / TOFT_HOT_OBJECTS, TOFT_HOT_OBJECTS};
    if (case_name == "request")
        return {loops.request, count / 2 / TOFT_REQUEST_OBJECTS, TOFT_REQUEST_OBJECTS};
    return {loops.one, count / 16, 1};
}

} // namespace

bool is_bulk(const std::string &case_name) {
    return case_name == "8" || case_name == "32" || case_name == "mixed";
}

void measure_region(session &run, const toft_region_loops &loops) {
    const auto count = static_cast<std::size_t>(run.size());
    const bool each_on_heap = &loops == &malloc_loops;
    run.set_version(loops.version);
    if (is_bulk(run.case_name())) {
        if (each_on_heap) run.expect_heap_allocations(count);
        measure_bulk(run, filling_of(run.case_name(), loops, count));
    } else {
        const brief_loop loop = brief_loop_of(run.case_name(), loops, count);
        constexpr unsigned recorded = last_loop_round - first_loop_round + 1;
        if (each_on_heap) run.expect_heap_allocations(loop.rounds * loop.objects * recorded);
        measure_brief(run, loop);
    }
}

std::vector<std::string> cases_of(const toft_region_loops &loops) {
    std::vector<std::string> cases;
    if (loops.fill_8) cases.insert(cases.end(), {"8", "32", "mixed"});
    if (loops.hot) cases.insert(cases.end(), {"hot", "request", "one"});
    return cases;
}

} // namespace toft::lab
