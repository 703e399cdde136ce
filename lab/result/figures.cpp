// SPDX-License-Identifier: MIT
#include "figures.hpp"

#include <algorithm>

namespace toft::lab {
namespace {

// Every process has the same phases, so the first one names them.
std::vector<figure> phases_of(const row &r, bool first) {
    std::vector<figure> found;
    for (const phase_sample &s : r.samples.front().phases) {
        if ((s.round == 1) != first) continue;
        const auto same = std::find_if(found.begin(), found.end(),
                                       [&](const figure &f) { return f.phase == s.phase; });
        if (same == found.end())
            found.push_back({s.phase, first, false, s.operations, {{s.phase}, s.round, s.round}});
        else
            same->of.last_round = std::max(same->of.last_round, s.round);
    }
    return found;
}

// Phases that take part in all of these rounds: one that comes once, at the very end, is left out.
figure whole_of(const std::vector<figure> &phases, bool first) {
    const selection &rounds = phases.front().of;
    figure whole{all_phases,
                 first,
                 true,
                 phases.front().operations,
                 {{}, rounds.first_round, rounds.last_round}};
    for (const figure &f : phases)
        if (f.of.first_round == rounds.first_round && f.of.last_round == rounds.last_round)
            whole.of.phases.push_back(f.phase);
    return whole;
}

} // namespace

std::vector<figure> figures_of(const row &r) {
    std::vector<figure> all;
    if (r.samples.empty()) return all;
    for (const bool first : {true, false}) {
        std::vector<figure> phases = phases_of(r, first);
        if (phases.size() == 1) phases.front().whole = true;
        if (phases.size() > 1) phases.push_back(whole_of(phases, first));
        all.insert(all.end(), phases.begin(), phases.end());
    }
    return all;
}

figure main_figure_of(const row &r) {
    const std::vector<figure> all = figures_of(r);
    return *std::find_if(all.rbegin(), all.rend(), [](const figure &f) { return f.whole; });
}

} // namespace toft::lab
