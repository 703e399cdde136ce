// SPDX-License-Identifier: MIT
#include "gaps.hpp"

#include "show/cells.hpp"

#include <fmt/format.h>

namespace toft::lab {
namespace {

// A few are missed or cut in many programs, and nothing that is said hangs on them.
constexpr double most_untold = .01;

bool is_told(std::uint64_t of_them, std::uint64_t all) {
    return static_cast<double>(of_them) > static_cast<double>(all) * most_untold;
}

} // namespace

std::vector<std::string> gaps_of(const recording &r) {
    std::vector<std::string> gaps;
    if (is_told(r.missed_events, r.events))
        gaps.push_back(fmt::format(
            "{} of process {} weren't recorded, most of them in signal handlers, and {} were. What "
            "is made there is unknown, and what is freed there seems to live for ever.",
            counted(r.missed_events, "call"), r.process_id, with_commas(r.events)));
    if (is_told(r.cut_stacks, r.events))
        gaps.push_back(fmt::format(
            "In {} of {}, the stack of process {} couldn't be followed to its outermost frame: "
            "code without unwind rules (-fno-asynchronous-unwind-tables), or a recursion of "
            "thousands of frames. Which calls lead there isn't known, nor what dies with them.",
            with_commas(r.cut_stacks), counted(r.events, "call"), r.process_id));
    return gaps;
}

std::string words_on_switches(const recording &r) {
    return fmt::format(
        "The program switches stacks itself, as fibers and coroutines do: {} of {} of process {} "
        "came from stacks on which two calls may look like one. Check each advice with "
        "`toft verify`.",
        with_commas(r.switched_events), counted(r.events, "call"), r.process_id);
}

} // namespace toft::lab
