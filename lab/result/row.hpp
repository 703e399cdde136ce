// SPDX-License-Identifier: MIT
#pragma once

#include "figure.hpp"
#include "statistics.hpp"
#include "subject/measurement.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// A row: one subject in one case under one allocator, with a sample from each process.
namespace toft::lab {

enum class verdict {
    sound,
    noisy,  // the processes disagree by more than a ratio can bear; a remark may say why
    elided, // the optimiser removed what was to be measured
    failed, // no figures, or not all of them: see the row's problem
};

struct row {
    std::string case_name;
    std::string subject;
    std::string allocator; // the malloc that its process had
    bool by_allocator = false;
    bool is_toft = false;                     // as its subject
    bool competes = true;                     // as its subject
    double noisy_spread = usual_noisy_spread; // as its subject: figures that spread wider are noisy
    unsigned threads = 1;                     // as its case
    unsigned repetitions = 0;                 // timed processes, as planned
    std::optional<measurement> counted;       // the run under the heap counter
    std::vector<measurement> samples;         // one from each timed process
    std::string problem;                      // what went wrong; empty: nothing did
    std::string remark;                       // what a reader of its figures must know, if anything
    verdict judged = verdict::sound;
    std::vector<figure> figures; // what the samples come to; see figures.hpp

    std::string title() const; // "malloc (mimalloc)"
    // Whether its malloc is Toft's own, which its subject, such as malloc + free, needn't be.
    bool is_on_toft_malloc() const { return by_allocator && allocator.starts_with("toft"); }
};

// A figure of samples: with how many of the row's neighbours, itself counted, the process shared a
// processor (see run/side_by_side.hpp). No figure, or 1: it ran alone.
inline constexpr const char *side_by_side_figure = "processes side by side";

// Whether any of its processes did: then its wall times say nothing.
bool ran_side_by_side(const row &);

// One value from each process, in nanoseconds, in the order measured. A process that lacks one of
// the phases gives none.
std::vector<double> nanoseconds_of_processes(const row &, const selection &, clock_kind);

// The same values, each divided by the operations of the selection's first phase.
std::vector<double> nanoseconds_per_operation(const row &, const selection &, clock_kind);

// The median over the processes of any field of the measurement.
double median_of(const row &, std::uint64_t measurement::*field);

// The median over the processes of a figure that only some subjects have; nothing where a process
// lacks it.
std::optional<double> median_of(const row &, const std::string &figure);

} // namespace toft::lab
