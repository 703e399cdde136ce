// SPDX-License-Identifier: MIT
#pragma once

#include "advice/advice.hpp"
#include "rehearse/rehearsal.hpp"

#include <optional>
#include <string>
#include <vector>

// The first arena of the advice, measured in the program behind `--`.
namespace toft::lab {

// Some rounds before other measurements and some between and behind them: a machine is another one
// some minutes later, and the gain is told for all of that time.
class first_arena_rehearsal {
  public:
    // `seconds` is what all its rounds take, unless their least number takes longer; that must end
    // within `most_seconds`, or nothing is rehearsed. The report must stay where it is.
    first_arena_rehearsal(advice_report &, const std::vector<recording> &, const program_symbols &,
                          const target &program, double run_seconds, double seconds,
                          double most_seconds);

    bool is_possible() const { return rehearsed_.has_value(); }

    // A third of the rounds; the third call makes up for what the others lacked. Throws
    // `interruption` when the lab is asked to stop.
    void run_third();

    // Puts what is known in the place of what replays have found. Where it isn't known well enough,
    // or the program went another way, that stays, and the advice says why.
    void take_into_report();

  private:
    void leave(std::string why);

    advice *line_ = nullptr; // of the report; none: there is no arena, or no program
    double seconds_ = 0;
    unsigned thirds_ = 0;
    std::size_t rounds_ = 0;
    std::optional<rehearsal> rehearsed_; // none: it isn't possible
};

} // namespace toft::lab
