// SPDX-License-Identifier: MIT
#include "cases.hpp"

#include <fmt/format.h>
#include <string_view>

namespace toft::lab {
namespace {

using enum aged_program;

constexpr std::string_view idle = "-idle";

const std::array cases = {
    aged_case{"aged-tree", "a document of nodes and texts, freed node by node", tree, 1},
    aged_case{"survivors", "a document, of which one node in thirty lives for another round",
              survivors, 1},
    aged_case{"random-frees", "small objects, 45 % of which are freed at random", random_frees, 1},
    aged_case{"aged-map", "a std::map, half erased and filled again", map, 1},
    aged_case{"phase-change", "one size, 90 % of it freed, then another size", phase_change, 1},
    aged_case{"kinds", "one size, 90 % of it freed, then another, from 24 bytes to 8 MB", kinds, 1},
    aged_case{"buffers", "four buffers of 5 to 24 MiB, replaced again and again", buffers, 1},
    aged_case{"blocks", "300 blocks of 32 KiB to 1 MiB, replaced again and again", blocks, 1},
    aged_case{"arrays", "arrays that double to 32 KiB or up to 4 MiB, one after another", arrays,
              1},
    aged_case{"thread-churn", "threads that come and go", thread_churn, 4},
    aged_case{"bleeding", "freed by a thread that never allocates", bleeding, 2},
    aged_case{"asymmetric", "one thread allocates for three others", asymmetric, 4},
};

} // namespace

std::span<const aged_case> aged_cases() { return cases; }

std::string name_of_idle(const aged_case &c) { return c.name + std::string(idle); }

bool is_idle(const std::string &case_name) { return case_name.ends_with(idle); }

const aged_case &find_aged_case(const std::string &case_name) {
    return *std::find_if(cases.begin(), cases.end(), [&](const aged_case &c) {
        return c.name == case_name || name_of_idle(c) == case_name;
    });
}

std::string phase_of_round(unsigned round) { return fmt::format("round {}", round); }

std::vector<std::string> phases_of_rounds(unsigned first, unsigned last) {
    std::vector<std::string> phases;
    for (unsigned round = first; round <= last; ++round) phases.push_back(phase_of_round(round));
    return phases;
}

} // namespace toft::lab
