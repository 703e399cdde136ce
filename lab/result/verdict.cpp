// SPDX-License-Identifier: MIT
#include "verdict.hpp"

#include "figures.hpp"
#include "order_effect.hpp"
#include "subject/heap_figures.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace toft::lab {
namespace {

std::string describe_missing_allocations(const row &r) {
    if (!r.counted || r.counted->heap.allocations >= r.counted->expected_heap_allocations)
        return {};
    return fmt::format("elided: made {} of the {} heap allocations that it asks for",
                       r.counted->heap.allocations, r.counted->expected_heap_allocations);
}

std::string describe_implausible_time(const row &r) {
    const double floor_ns = r.by_allocator ? plausible_malloc_ns : plausible_region_ns;
    for (const measurement &m : r.samples)
        for (const phase_sample &s : m.phases) {
            if (s.allocations == 0) continue;
            const double ns =
                static_cast<double>(s.spent.cpu_ns) / static_cast<double>(s.allocations);
            if (ns < floor_ns)
                return fmt::format("elided: {:.3f} ns an allocation in phase {} can't be", ns,
                                   s.phase);
        }
    return {};
}

std::string describe_other_operations(const measurement &counted, const measurement &timed) {
    for (const phase_sample &was : counted.phases)
        for (const phase_sample &s : timed.phases) {
            const bool same_phase = s.phase == was.phase && s.round == was.round;
            if (!same_phase || (s.operations == was.operations && s.allocations == was.allocations))
                continue;
            return fmt::format("does other work when it is timed: {} operations in phase {}, and "
                               "{} when its heap calls are counted",
                               s.operations, s.phase, was.operations);
        }
    return {};
}

// Threads have a few allocations of their own, which may fall into one phase or the next.
double hardly_any(const std::string &heap_figure) {
    constexpr double allocations = 100, bytes = allocations * 64;
    return heap_figure.starts_with(heap_bytes_prefix) ? bytes : allocations;
}

std::string describe_fewer_calls(const measurement &counted, const measurement &timed) {
    constexpr double least_share = .9;
    for (const auto &[name, was] : counted.figures) {
        const auto is = timed.figures.find(name);
        const bool is_of_heap = name.starts_with(heap_figure_prefix);
        if (!is_of_heap || was < hardly_any(name) || is == timed.figures.end()) continue;
        if (is->second < was * least_share)
            return fmt::format("does less work when it is timed than when its heap calls are "
                               "counted: {}: {:.0f}, and {:.0f} when counted",
                               name, is->second, was);
    }
    return {};
}

// How many bytes were written to an object, on average; nothing where too few were looked at.
std::optional<double> stores_of(const measurement &m) {
    constexpr double enough_to_tell = 100;
    const auto objects = m.figures.find(stored_objects_figure);
    const auto bytes = m.figures.find(stored_bytes_figure);
    if (objects == m.figures.end() || bytes == m.figures.end()) return std::nullopt;
    if (objects->second < enough_to_tell) return std::nullopt;
    return bytes->second / objects->second;
}

// A byte that is written as what the counter has put there looks as if it weren't.
constexpr double least_share_of_stores = .9;

std::string describe_fewer_stores(const measurement &counted, const measurement &timed) {
    const std::optional<double> was = stores_of(counted), is = stores_of(timed);
    if (!was || !is || *is >= *was * least_share_of_stores) return {};
    return fmt::format("does less work when it is timed than when its heap calls are counted: it "
                       "writes {:.1f} bytes of an object on average, and {:.1f} when counted",
                       *is, *was);
}

// The phases' names and rounds come from the first process: every process has the same.
double widest_spread(const row &r) {
    std::vector<summary> phases;
    double total = 0;
    for (const phase_sample &s : r.samples.front().phases) {
        const selection of{{s.phase}, s.round, s.round};
        phases.push_back(summarise(nanoseconds_of_processes(r, of, clock_kind::cpu)));
        total += phases.back().median;
    }
    double widest = 0;
    for (const summary &s : phases)
        if (s.median >= total / 10) widest = std::max(widest, s.spread);
    return widest;
}

} // namespace

void judge(row &r) {
    r.figures = figures_of(r);
    std::string elided = describe_missing_allocations(r);
    if (elided.empty()) elided = describe_implausible_time(r);
    for (const measurement &m : r.samples)
        if (r.counted && r.problem.empty()) r.problem = describe_other_work(*r.counted, m);
    if (!elided.empty()) {
        r.judged = verdict::elided;
        r.problem = elided;
    } else if (!r.problem.empty() || r.samples.empty()) {
        r.judged = verdict::failed;
    } else {
        r.remark = describe_order_effect(r);
        const bool spreads = !ran_side_by_side(r) && widest_spread(r) > r.noisy_spread;
        r.judged = spreads || !r.remark.empty() ? verdict::noisy : verdict::sound;
    }
}

std::string describe_other_work(const measurement &counted, const measurement &timed) {
    std::string other = describe_other_operations(counted, timed);
    if (other.empty()) other = describe_fewer_calls(counted, timed);
    return other.empty() ? describe_fewer_stores(counted, timed) : other;
}

std::string describe_missing_stores(const measurement &audited, double stored_bytes) {
    const std::optional<double> is = stores_of(audited);
    if (!is || *is >= stored_bytes * least_share_of_stores) return {};
    return fmt::format("writes too little: {:.1f} bytes of an object on average, and its case is "
                       "about {:.1f}",
                       *is, stored_bytes);
}

} // namespace toft::lab
