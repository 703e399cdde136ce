// SPDX-License-Identifier: MIT
#pragma once

#include "advice/advice.hpp"
#include "run/target.hpp"
#include "verify/plan_of_advice.hpp"
#include "verify/shared_plan.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

// An advised arena, measured in the program itself, which is not changed for it: a preloaded
// library looks for the advised objects and makes them in an arena.
//
// To look for them takes time too. So two ratios are measured, each by two processes that run side
// by side on one processor: of the program in which they are looked for to the program as it is,
// and of the one in which they are placed too to the one in which they are only looked for.
namespace toft::lab {

// In percent of the program's CPU time.
struct rehearsed_gain {
    interval frees_kept;
    std::optional<interval> frees_hooked;  // with what the library's hook would place besides
    std::optional<interval> frees_dropped; // of the last of these ways
    double peak_percent = 0;               // of the program's peak memory, that is saved
    std::optional<double> peak_percent_with_others = {}; // with what the hook would place besides
};

// Why an advised arena can't be measured in the program, as the end of a sentence; empty: it can.
std::string why_not_rehearsed(const advice_report &, const advice &);

class rehearsal {
  public:
    // The tree is the one in which the advice's sites are, and its code is that of the same
    // symbols. The program is the recorded one, with what makes it do the same work.
    rehearsal(const advice &, const stack_tree &, const code_source &, target program);
    ~rehearsal();
    rehearsal(const rehearsal &) = delete;
    rehearsal &operator=(const rehearsal &) = delete;

    // So many runs of the program are a round.
    std::size_t runs_of_round() const;

    // Runs one round. Returns why there is nothing to tell, such as: it didn't make the advised
    // objects as they were recorded. Empty: all went well.
    std::string run();

    // What all rounds so far have told; nothing below three.
    std::optional<rehearsed_gain> gain() const;

  private:
    struct way; // in which the program is run
    std::string run_pair(way &first, way &other);

    const advice &of_;
    target program_;
    std::vector<std::unique_ptr<way>> ways_; // as it is, looked at, and placed in one way or two
    std::size_t rounds_ = 0;
};

} // namespace toft::lab
