// SPDX-License-Identifier: MIT
#pragma once

#include "session.hpp"
#include "tables.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// A suite is one question asked of several subjects: `toft bench SUITE`.
//
//   suite     tree, arena, ...          one folder of lab/workloads
//   case      8, 32, mixed, ...         one table or one column; a suite has at least one case
//   subject   malloc, toft::arena, ...  one row; a subject that lives on malloc has a row for each
//                                       malloc that this machine has
namespace toft::lab {

struct subject {
    std::string name;          // as the tables show it; unique in its suite
    bool by_allocator = false; // lives on malloc: measured under each allocator
    bool is_toft = false;      // Toft's own, which a conclusion compares with others
    bool competes = true;      // false for a yardstick, which leaves out work that the others do
    std::function<void(session &)> run = {}; // in a process of its own, for one case
    std::vector<std::string> cases = {};     // that it takes part in; empty: all
    std::string missing = {};                // why it can't be measured here; empty: it can
    std::string baseline = {};               // the subject that its gain is told against, if any
    // "VAR=VALUE" in its processes' environment; empty: none. Not for one that is by_allocator:
    // those have the settings of their allocators.
    std::string setting = {};
    // A figure is noisy when the interquartile range of its processes is wider than this share of
    // their median.
    double noisy_spread = usual_noisy_spread;

    bool takes_part_in(const std::string &case_name) const;
};

struct bench_case {
    std::string name;  // as on the command line and in the result file
    std::string title; // as the tables show it
    // Short measurements suffer most from the machine's noise and cost least, so they can have
    // several times as many processes as others.
    unsigned repetition_factor = 1;
    unsigned threads = 1;   // that work at once; see --threads
    bool only_full = false; // left out of a run without --full that doesn't filter
    bool once = false;      // one process for each row is enough, however many are asked for
    // Cases that differ only in their number of threads or in their size share a family, through
    // which the report draws a curve.
    std::string family = {};
    std::string header = {};        // as a column's header; empty: its name
    std::uint64_t object_bytes = 0; // the size of every object; 0: several sizes, or any
    // So many bytes of each object, on average, or more, are written by a subject on malloc. One
    // that writes less does less than the others; 0: nobody knows.
    double stored_bytes = 0;
    std::string missing = {}; // why it can't be measured here; empty: it can
};

// What --size means to a suite.
struct size_range {
    std::string unit;
    std::uint64_t smallest, largest;
    std::uint64_t full, quick; // the size without --size: with --full, and without it
};

struct suite {
    std::string name;
    std::string summary;
    size_range size;
    std::vector<bench_case> cases;
    std::vector<subject> subjects;
    std::vector<suite_table> tables = {}; // empty: one for each case, with every figure
    std::string note = {};                // below all of them
    // The size as a heading says it; empty: the number alone.
    std::function<std::string(std::uint64_t size)> size_in_words = {};
    bool watches_memory = false; // the runner looks at its processes' memory while they run
    bool hidden = false; // not listed and not in the default selection: for the lab's own tests
    // Measured only when the command line names it, since it takes long.
    bool only_by_name = false;
    unsigned place = 100; // in lists and among tables; those of one place come by their names

    const subject *find_subject(const std::string &subject_name) const;
    const bench_case *find_case(const std::string &case_name) const;
};

} // namespace toft::lab
