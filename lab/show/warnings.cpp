// SPDX-License-Identifier: MIT
#include "warnings.hpp"

#include "subject/suite.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace toft::lab {
namespace {

constexpr double loaded_share = .25; // of the CPUs, before it began or meanwhile
constexpr double stolen_much = .02;

std::string describe_crowding(const outcome &result, unsigned cpus) {
    std::set<unsigned> crowded;
    for (const suite_result &s : result.suites)
        for (const row &r : s.rows)
            if (r.threads > cpus) crowded.insert(r.threads);
    if (crowded.empty()) return {};
    return fmt::format("Cases on {} threads: this machine has {} CPUs, so that threads wait for "
                       "each other's turn; their wall times say little.",
                       fmt::join(crowded, ", "), cpus);
}

} // namespace

std::vector<std::string> warnings_of(const outcome &result, const circumstances &around) {
    std::vector<std::string> warnings;
    const double cpus = around.machine.cpus;
    if (!around.build.optimised)
        warnings.push_back("Built without optimisation: these figures mean nothing.");
    if (around.machine.load_average > 2 * loaded_share * cpus)
        warnings.push_back(fmt::format("The machine was loaded at the start ({:.2f}).",
                                       around.machine.load_average));
    if (around.load.others_cpus > loaded_share * cpus)
        warnings.push_back(fmt::format("Other programs kept {:.1f} of {} CPUs busy meanwhile; "
                                       "measure again on a quiet machine.",
                                       around.load.others_cpus, around.machine.cpus));
    if (around.load.stolen_share > stolen_much)
        warnings.push_back(fmt::format("The virtual machine's host took away {:.0f} % of its time.",
                                       around.load.stolen_share * 100));
    if (std::string crowding = describe_crowding(result, around.machine.cpus); !crowding.empty())
        warnings.push_back(std::move(crowding));
    return warnings;
}

} // namespace toft::lab
