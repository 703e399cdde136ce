// SPDX-License-Identifier: MIT
#include "warnings.hpp"

#include "cells.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace toft::lab {
namespace {

constexpr double loaded_share = .25; // of the CPUs, before it began or meanwhile
constexpr double stolen_much = .02;

std::string describe_crowding(const bench_result &result) {
    std::set<unsigned> crowded;
    for (const suite_result &s : result.suites)
        for (const row &r : s.rows)
            if (r.threads > result.machine.cpus) crowded.insert(r.threads);
    if (crowded.empty()) return {};
    return fmt::format("Cases on {} threads: this machine has {}, so that threads wait for each "
                       "other's turn; their wall times say little.",
                       fmt::join(crowded, ", "), counted(result.machine.cpus, "CPU"));
}

} // namespace

bool others_were_busy(const bench_result &result) {
    return result.load.others_cpus > loaded_share * result.machine.cpus;
}

std::vector<std::string> warnings_of(const bench_result &result) {
    std::vector<std::string> warnings;
    const double cpus = result.machine.cpus;
    if (!result.build.optimised)
        warnings.push_back("Built without optimisation: these figures mean nothing.");
    if (result.load.average_at_start > 2 * loaded_share * cpus)
        warnings.push_back(fmt::format("The machine was loaded at the start ({:.2f}).",
                                       result.load.average_at_start));
    if (others_were_busy(result))
        warnings.push_back(fmt::format("Other programs kept {:.1f} of {} busy meanwhile; measure "
                                       "again on a quiet machine.",
                                       result.load.others_cpus,
                                       counted(result.machine.cpus, "CPU")));
    if (result.load.stolen_share > stolen_much)
        warnings.push_back(fmt::format("The virtual machine's host took away {:.0f} % of its time.",
                                       result.load.stolen_share * 100));
    if (std::string crowding = describe_crowding(result); !crowding.empty())
        warnings.push_back(std::move(crowding));
    return warnings;
}

} // namespace toft::lab
