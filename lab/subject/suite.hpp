// SPDX-License-Identifier: MIT
#pragma once

#include "session.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// A suite is one question asked of several subjects: `toft bench SUITE`.
//
//   suite     tree, arena, ...         one folder of lab/workloads
//   case      8, 32, mixed, ...        one table or column each; a suite has at least one
//   subject   malloc, toft::arena, ... one row; a subject that lives on malloc has a row for
//                                      each malloc that this machine has
namespace toft::lab {

struct subject {
    std::string name;                    // as the tables show it; unique in its suite
    bool by_allocator = false;           // lives on malloc: measured under each allocator
    bool competes = true;                // false for a limit that no allocator can reach
    std::function<void(session &)> run;  // in a process of its own, for one case
    std::vector<std::string> cases = {}; // that it takes part in; empty: all
    std::string missing = {};            // why it can't be measured here; empty: it can

    bool takes_part_in(const std::string &case_name) const;
};

struct bench_case {
    std::string name;  // as on the command line and in the result file
    std::string title; // as the tables show it
    // Short measurements feel every mood of the machine, and cost little: they can have several
    // times as many processes as others.
    unsigned repetition_factor = 1;
    unsigned threads = 1;   // that work at once; see --threads
    bool only_full = false; // left out of a run without --full that doesn't filter
    // Cases that ask the same of another number of threads or another size share a family: the
    // report draws a curve through them.
    std::string family = {};
    std::uint64_t object_bytes = 0; // of every object; 0: of several sizes, or not the question
};

// What --size means to a suite.
struct size_range {
    std::string unit;
    std::uint64_t smallest, largest;
    std::uint64_t full, quick; // without --size: with --full, and without that too
};

struct suite_result;
class printer;

struct suite {
    std::string name;
    std::string summary;
    size_range size;
    std::vector<bench_case> cases;
    std::vector<subject> subjects;
    std::function<void(const suite_result &, printer &)> print; // its tables
    bool hidden = false; // not listed and not in the default selection: for the lab's own tests

    const subject *find_subject(const std::string &subject_name) const;
    const bench_case *find_case(const std::string &case_name) const;
};

} // namespace toft::lab
