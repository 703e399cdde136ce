// SPDX-License-Identifier: MIT
#include "figures.hpp"

#include <algorithm>

namespace toft::lab {
namespace {

// Every process has the same phases, so the first one names them.
std::vector<figure> phases_of(const row &r, which_rounds rounds) {
    std::vector<figure> found;
    for (const phase_sample &s : r.samples.front().phases) {
        if ((s.round == 1) != (rounds == which_rounds::first)) continue;
        const auto same = std::find_if(found.begin(), found.end(),
                                       [&](const figure &f) { return f.phase == s.phase; });
        if (same == found.end())
            found.push_back({s.phase, rounds, false, s.operations, {{s.phase}, s.round, s.round}});
        else
            same->of.last_round = std::max(same->of.last_round, s.round);
    }
    return found;
}

// The whole adds up the phases that take part in all of these rounds. A phase that comes once, at
// the very end, is left out.
figure whole_of(const std::vector<figure> &phases) {
    const figure &first = phases.front();
    figure whole{all_phases,
                 first.rounds,
                 true,
                 first.operations,
                 {{}, first.of.first_round, first.of.last_round}};
    for (const figure &f : phases)
        if (f.of.first_round == first.of.first_round && f.of.last_round == first.of.last_round)
            whole.of.phases.push_back(f.phase);
    return whole;
}

process_times times_of(std::vector<double> values) {
    const summary s = summarise(values);
    return {s.median, s.lowest, s.highest, s.spread, std::move(values)};
}

} // namespace

std::vector<figure> figures_of(const row &r) {
    std::vector<figure> all;
    if (r.samples.empty()) return all;
    for (const which_rounds rounds : all_rounds) {
        std::vector<figure> phases = phases_of(r, rounds);
        if (phases.size() == 1) phases.front().whole = true;
        if (phases.size() > 1) phases.push_back(whole_of(phases));
        all.insert(all.end(), phases.begin(), phases.end());
    }
    for (figure &f : all) {
        f.cpu_ns = times_of(nanoseconds_of_processes(r, f.of, clock_kind::cpu));
        f.wall_ns = times_of(nanoseconds_of_processes(r, f.of, clock_kind::wall));
    }
    return all;
}

figure main_figure_of(const row &r) {
    const std::vector<figure> all = figures_of(r);
    return *std::find_if(all.rbegin(), all.rend(), [](const figure &f) { return f.whole; });
}

} // namespace toft::lab
