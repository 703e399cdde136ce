// SPDX-License-Identifier: MIT
#pragma once

#include "subject/session.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

// The cases of the suite `aged`: each is a program of eight rounds, which run in one process on the
// memory that the rounds before have left.
namespace toft::lab {

enum class aged_program {
    tree,         // a document of nodes and texts, built, walked and freed node by node
    survivors,    // the same, but some nodes live until the next document is built
    random_frees, // many objects, of which each round replaces some, whichever
    map,          // a std::map, built, half erased, filled again, read and cleared
    phase_change, // one size is filled, 90 % of it is freed, and another size is filled
    kinds,        // the same, from small sizes to large ones and back
    buffers,      // few buffers of many MiB, each replaced again and again
    blocks,       // the same with many blocks below 1 MiB
    arrays,       // arrays that grow by doubling, and are freed, one after another
    thread_churn, // threads that come, allocate, and leave objects to those that come after them
    bleeding,     // what one thread allocates is freed by one that never allocates
    asymmetric,   // one thread allocates for three; they free that and answer with other sizes
};

struct aged_case {
    std::string name;
    std::string title;
    aged_program program;
    unsigned threads; // that work at once
};

std::span<const aged_case> aged_cases();

// A case has a twin that waits after its last round and then reads the resident memory again.
std::string name_of_idle(const aged_case &);
bool is_idle(const std::string &case_name);
const aged_case &find_aged_case(const std::string &case_name); // of either twin

// How large the rounds are, in percent of the largest. The sixth is a small one after large ones.
inline constexpr std::array<unsigned, 8> round_percents = {17, 50, 62, 92, 100, 17, 33, 38};
inline constexpr unsigned aged_rounds = round_percents.size();

// So many of the usual objects, at least one.
inline std::uint64_t share_of(std::uint64_t usual, std::uint64_t percent) {
    return std::max<std::uint64_t>(1, usual * percent / 100);
}

// "round 1" to "round 8". They differ in size, so that their median would mean little. Hence each
// is a phase: to the lab the first is the cold round of a process, and all others together are its
// warm round, in which their times are added up.
std::string phase_of_round(unsigned round);
std::vector<std::string> phases_of_rounds(unsigned first, unsigned last);
constexpr unsigned lab_round(unsigned round) { return round == 1 ? 1 : 2; }

// A round is one operation.
constexpr amount one_round(std::uint64_t allocations) { return {1, allocations}; }

} // namespace toft::lab
