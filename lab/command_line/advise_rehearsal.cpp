// SPDX-License-Identifier: MIT
#include "advise_rehearsal.hpp"

#include "advice/others.hpp"
#include "run/interrupt.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <utility>

namespace toft::lab {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t least_rounds = 9, most_rounds = 30;
// A range that is wider tells less than a replay does.
constexpr double most_width = 10;

bool is_narrow(const interval &of) { return of.high - of.low <= most_width; }

bool is_told(const rehearsed_gain &g) {
    return is_narrow(g.frees_kept) && (!g.frees_hooked || is_narrow(*g.frees_hooked)) &&
           (!g.frees_dropped || is_narrow(*g.frees_dropped));
}

} // namespace

first_arena_rehearsal::first_arena_rehearsal(advice_report &report,
                                             const std::vector<recording> &recordings,
                                             const program_symbols &symbols, const target &program,
                                             double run_seconds, double seconds,
                                             double most_seconds)
    : seconds_(seconds) {
    const auto first = std::ranges::find(report.lines, remedy::arena, &advice::what);
    if (program.words.empty() || first == report.lines.end()) return;
    line_ = &*first;
    if (std::string why_not = why_not_rehearsed(report, *line_); !why_not.empty()) {
        leave(std::move(why_not));
        return;
    }
    stack_tree tree(symbols, recordings); // in which advise() has numbered the sites
    for (const recording &r : recordings) tree.merge(r);
    rehearsed_.emplace(*line_, tree, symbols.code, program);
    const double round = run_seconds * static_cast<double>(rehearsed_->runs_of_round());
    if (round * least_rounds > most_seconds)
        leave(fmt::format("the runs would take {:.1f} s, and may take {:.1f}: give more by "
                          "--replay-time, or record it with a smaller input",
                          round * least_rounds, most_seconds));
}

void first_arena_rehearsal::leave(std::string why) {
    rehearsed_.reset();
    line_->not_in_program = std::move(why);
}

void first_arena_rehearsal::run_third() {
    if (!rehearsed_) return;
    const clock::time_point end = clock::now() + std::chrono::duration_cast<clock::duration>(
                                                     std::chrono::duration<double>(seconds_ / 3));
    ++thirds_;
    const std::size_t least = thirds_ * least_rounds / 3, most = thirds_ * most_rounds / 3;
    while (rounds_ < least || (rounds_ < most && clock::now() < end)) {
        std::string why_not = rehearsed_->run();
        stop_if_interrupted();
        if (!why_not.empty()) {
            leave(std::move(why_not));
            return;
        }
        ++rounds_;
    }
}

void first_arena_rehearsal::take_into_report() {
    if (!rehearsed_) return;
    const std::optional<rehearsed_gain> found = rehearsed_->gain();
    if (!found || !is_told(*found)) {
        leave(found ? "the runs differ by too much, as on a busy machine"
                    : "there were too few runs");
        return;
    }
    line_->replayed = replayed_change{.frees_kept = found->frees_kept,
                                      .frees_hooked = found->frees_hooked,
                                      .frees_dropped = found->frees_dropped,
                                      .in_program = true};
    take_peak(*line_, {found->peak_percent, found->peak_percent});
    if (const auto &whole = found->peak_percent_with_others)
        line_->peak_percent_with_others = {*whole, *whole};
}

} // namespace toft::lab
