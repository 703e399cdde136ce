// SPDX-License-Identifier: MIT
#include "drift.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace toft::lab {
namespace {

// Short phases differ by the chance of an interrupt.
constexpr double least_ns = 200e3;

// The later rounds of each figure that is one phase, and has more than one of them.
std::vector<drift> rounds_of(const row &r) {
    std::vector<drift> found;
    for (const figure &f : r.figures) {
        if (f.rounds != which_rounds::later || f.of.phases.size() != 1) continue;
        if (f.of.first_round == f.of.last_round) continue;
        drift d{&r, f.phase, f.of.first_round, f.of.last_round, {}};
        for (unsigned round = d.first_round; round <= d.last_round; ++round) {
            const selection one{{f.phase}, round, round};
            const auto values = nanoseconds_of_processes(r, one, clock_kind::cpu);
            if (!values.empty()) d.cpu_ns.push_back(summarise(values).median);
        }
        if (d.cpu_ns.size() > 1) found.push_back(std::move(d));
    }
    return found;
}

} // namespace

double drift::slowest_to_fastest() const {
    const auto [least, most] = std::minmax_element(cpu_ns.begin(), cpu_ns.end());
    return *least > 0 ? *most / *least : 1;
}

std::vector<drift> drifts_of(const suite_result &s) {
    std::vector<drift> found;
    for (const row &r : s.rows)
        for (drift &d : rounds_of(r)) {
            const bool is_short = *std::max_element(d.cpu_ns.begin(), d.cpu_ns.end()) < least_ns;
            if (!is_short && d.slowest_to_fastest() > steady_rounds) found.push_back(std::move(d));
        }
    std::stable_sort(found.begin(), found.end(), [](const drift &a, const drift &b) {
        return a.slowest_to_fastest() > b.slowest_to_fastest();
    });
    return found;
}

std::string describe_drifts(const suite_result &s) {
    constexpr std::size_t most_named = 3;
    const std::vector<drift> all = drifts_of(s);
    if (all.empty()) return {};
    std::vector<std::string> named;
    for (const drift &d : all) {
        if (named.size() == most_named) break;
        std::vector<std::string> ms;
        for (const double ns : d.cpu_ns) ms.push_back(fmt::format("{:.2f}", ns * 1e-6));
        named.push_back(fmt::format("{}, {}, {}: {} ms", title_of_case(s, d.of->case_name),
                                    d.of->title(), d.phase, fmt::join(ms, ", ")));
    }
    return fmt::format("{}: {} {} by more than {:.0f} % between the later rounds of a process; the "
                       "worst: {}.",
                       s.name, all.size(), all.size() == 1 ? "figure differs" : "figures differ",
                       (steady_rounds - 1) * 100, fmt::join(named, "; "));
}

} // namespace toft::lab
