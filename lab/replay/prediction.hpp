// SPDX-License-Identifier: MIT
#pragma once

#include "replays.hpp"

#include <optional>
#include <vector>

// What replays say of the whole program. All that another malloc changes is the heap work: so the
// program's CPU time is its own, without the heap work as recorded, with that of the other row; and
// with what the other malloc takes to start, where that was measured. So is its peak of memory.
namespace toft::lab {

struct range {
    double low = 0;
    double middle = 0;
    double high = 0;
};
inline range operator*(range r, double by) { return {r.low * by, r.middle * by, r.high * by}; }

// One row of a replay, whatever the model of touching.
struct predicted_row {
    std::string subject;
    std::string allocator;
    std::string problem = {};   // of a row that failed; empty: none did
    range heap_cpu_ns = {};     // on a fresh heap
    range heap_ratio = {};      // to the first row's, of the same round
    range heap_peak_bytes = {}; // resident memory
    range peak_ratio = {};      // of the program, or a small one, to the first row's
    std::size_t rounds = 0;     // that it and the first row have in every model; 0: no figures
    bool side_by_side = false;  // it and the first row ran at once, so less of it is noise
    // As a share of the CPU time; -.1: a tenth less. No malloc saves more than the heap work.
    std::optional<range> program_change = {};
    std::optional<range> program_peak_bytes = {};
};

struct program_cost {
    std::optional<double> cpu_ns = {};
    std::optional<double> peak_bytes = {};
    std::string problem = {}; // why they aren't known although they were asked for; empty: nothing
    bool is_estimate = false; // of cpu_ns: from the recorded run, less what recording took
};

// From the program's own rows, empty where it wasn't run; or the CPU time that the user told. A
// program that takes less than its heap work alone isn't the recorded one, so its cost is left out.
program_cost cost_of_program(const suite_result &, std::optional<double> told_cpu_ns = {});

// When the time ended in the middle of a round, some models have no sample of some rows: without
// those models, the others still predict. The first model stays.
void drop_unfinished_models(suite_result &);

// A model in which the first row's heap work clearly takes more than the program does with all its
// other work isn't how that uses its objects. Where no other was replayed, all stay.
void drop_impossible_models(suite_result &, double program_ns);

// A row for each malloc and each way of placing, in the order of the suite. The middle is the
// median with whole objects touched; the range goes from the lowest of the replayed models' first
// quartiles to the highest of their third ones.
using predicted_rows = std::vector<predicted_row>;
predicted_rows predict(const suite_result &, const program_cost &);

// For several replays of one recording, in which the first row is the same: a machine that was slow
// for one of them and not for another would make its other rows seem to gain more. So all of them
// are brought to the pace that the first rows have on average.
void bring_to_one_pace(std::vector<predicted_rows> &);

// What the heap work of these first rows takes, brought to one pace. A replay that ended before its
// first round has rows, but no figures. 0: none has any.
double heap_ns_of_first(const std::vector<predicted_rows> &);

// By how much the heap work of the two, in so many rounds, may differ by chance.
double noise_ns(const predicted_row &, const predicted_row &first);

// The row's change of a program that takes so much CPU time. One or two rounds show no spread: then
// the range is as wide as that noise.
range change_with_noise(const predicted_row &, const predicted_row &first, double program_ns);

// What the program took, in units of the first row's heap work of the same round.
std::vector<double> program_ratios(const suite_result &);

// Adds to each sample of a replay, as a figure of its own, the CPU time that the program would have
// taken. Nothing where the program's own isn't known.
void note_predictions(suite_result &, const program_cost &);

// The cost for which these notes were made; empty: there are none.
program_cost noted_cost(const suite_result &);
inline constexpr const char *predicted_ns_figure = "the program's CPU time, predicted, ns";

} // namespace toft::lab
