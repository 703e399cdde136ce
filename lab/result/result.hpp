// SPDX-License-Identifier: MIT
#pragma once

#include "statistics.hpp"
#include "subject/measurement.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What the lab has measured: suites of rows, a row with one sample from each process.
namespace toft::lab {

struct suite;

enum class verdict {
    sound,
    noisy,  // the processes disagree by more than a ratio can bear; a remark may say why
    elided, // the optimiser removed what was to be measured
    failed, // no figures, or not all of them: see the row's problem
};
std::string to_string(verdict);

struct row {
    std::string case_name;
    std::string subject;
    std::string allocator; // the malloc that its process had
    bool by_allocator = false;
    bool competes = true;               // as its subject
    unsigned threads = 1;               // as its case
    unsigned repetitions = 0;           // timed processes, as planned
    std::optional<measurement> counted; // the run under the heap counter
    std::vector<measurement> samples;   // one from each timed process
    std::string problem;                // what went wrong; empty: nothing did
    std::string remark;                 // what a reader of its figures must know, if anything
    verdict judged = verdict::sound;

    std::string title() const; // "malloc (mimalloc)"
};

struct suite_result {
    const suite *of = nullptr;
    std::uint64_t size = 0;
    std::vector<row> rows; // in the order of cases, and of subjects in each

    // Null when there is no such row, or when it has no figures to compare with.
    const row *find(const std::string &case_name, const std::string &subject,
                    const std::string &allocator = "glibc") const;
    std::vector<const row *> rows_of(const std::string &case_name) const;
};

// "arena 32", or only the suite's name where that has one case.
std::string title_of_case(const suite_result &, const std::string &case_name);

enum class clock_kind { cpu, wall };

// Which timings make one value of a process: those of these phases added up, in one round after
// another; of several rounds, the median.
struct selection {
    std::vector<std::string> phases;
    unsigned first_round = 1;
    unsigned last_round = 1;
};

// One value from each process, in ns, in the order measured; none from a process that lacks one of
// the phases.
std::vector<double> nanoseconds_of_processes(const row &, const selection &, clock_kind);

// The same for each operation of the first phase.
std::vector<double> nanoseconds_per_operation(const row &, const selection &, clock_kind);

// The median over the processes of any field of the measurement.
double median_of(const row &, std::uint64_t measurement::*field);

// The same of a figure that only some subjects have; nothing where a process lacks it.
std::optional<double> median_of(const row &, const std::string &figure);

} // namespace toft::lab
