// SPDX-License-Identifier: MIT
#include "weighing.hpp"

#include "cost_model.hpp"
#include "hooks.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace toft::lab {
namespace {

constexpr std::size_t most_lines = 10;
constexpr double least_shown_percent = 0.5; // of CPU time, at the range's high end
// What a change must be expected to gain, or it is lost in the noise of most measurements.
constexpr double least_cpu_percent = 2, least_peak_percent = 10;

// So many points wide is what is predicted, at least, but no wider than what can be gained: a
// replay has the program's calls of the heap, and neither its code nor its caches. Ranges of four
// points held every other change in docs/advice-followed.md.
constexpr double least_width = 7;

// A program that was changed gained so much more than its rehearsal, in the mean of the changes of
// docs/advice-followed.md on two machines: nothing has to be looked for in it.
constexpr double beyond_rehearsal = 1;

// What can be done comes first, and the larger gain.
bool is_better(const advice &a, const advice &b) {
    const bool done_a = a.what != remedy::leave, done_b = b.what != remedy::leave;
    if (done_a != done_b) return done_a;
    return middle(best_gain(a)) > middle(best_gain(b));
}

interval either(const interval &a, const interval &b) {
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

// Whether the frees stay or go; a library's hook is told apart.
interval over_all_ways(const replayed_change &r) {
    return r.frees_dropped ? either(r.frees_kept, *r.frees_dropped) : r.frees_kept;
}

interval program_ns_of(const advice_report &report) {
    return {report.processor_seconds.low * 1e9, report.processor_seconds.high * 1e9};
}

// A gain, and what no replay shows of it. Where the program's time isn't known well, that is at the
// same end of its range in both.
interval plus(const interval &gain, const interval &more, const advice_report &report) {
    if (report.processor_seconds.low < report.processor_seconds.high)
        return {gain.low + more.low, gain.high + more.high};
    return sum_of_independent(gain, more);
}

// Adds to a gain in percent what no replay shows of so many objects that are made in a cheaper way.
// What hardly gains anything has no cheaper calls.
interval with_calls(const interval &gain, std::uint64_t objects, const advice_report &report) {
    constexpr double most_of_gain = .5;
    const interval more = percent_of(calls_beyond_replay(objects), program_ns_of(report));
    const double most = std::max(middle(gain), 0.0) * most_of_gain;
    return plus(gain, {std::min(more.low, most), std::min(more.high, most)}, report);
}

// What is added to a gain may bring it beyond what there is to gain.
interval within_the_whole(const interval &gain) {
    return {std::min(gain.low, most_percent), std::min(gain.high, most_percent)};
}

// Adds what no replay shows of so many objects placed, and gives each way its least width.
void complete(replayed_change &found, const advice &a, std::uint64_t objects,
              const advice_report &report) {
    const bool in_arena = a.what == remedy::arena || a.what == remedy::inline_buffer;
    const auto widen = [&](interval &gain, std::uint64_t dropped) {
        if (found.in_program) {
            gain = widened_to(gain, least_width);
            gain = within_the_whole({gain.low, gain.high + beyond_rehearsal});
            return;
        }
        gain = {std::min(gain.low, found.most_percent), std::min(gain.high, found.most_percent)};
        gain = with_calls(gain, objects, report);
        if (in_arena)
            gain = plus(
                gain,
                percent_of(arena_beyond_replay(objects, dropped, a.cpp), program_ns_of(report)),
                report);
        gain = within_the_whole(widened_to(gain, std::min(least_width, found.most_percent)));
    };
    widen(found.frees_kept, 0);
    if (found.frees_hooked) widen(*found.frees_hooked, 0);
    if (found.frees_dropped) widen(*found.frees_dropped, objects - a.never_freed);
}

// Two processes that run the same program side by side differ by a hundredth at times. Of what is
// predicted: with a setting it is the same malloc, with the same calls.
void complete(malloc_gain &m, const advice_report &report) {
    constexpr double least_measured_width = 2;
    if (m.measured) {
        m.cpu_percent = within_the_whole(widened_to(m.cpu_percent, least_measured_width));
        return;
    }
    if (m.setting.empty()) m.cpu_percent = with_calls(m.cpu_percent, report.objects, report);
    m.cpu_percent =
        within_the_whole(widened_to(m.cpu_percent, std::min(least_width, m.most_percent)));
}

// A replay says nothing of a change that promises less than its noise, and of which it finds little
// more.
bool is_lost_in_noise(double promised_percent, const replayed_change &found) {
    const interval gain = found.frees_dropped.value_or(found.frees_kept);
    return promised_percent < found.noise_percent &&
           std::min(middle(gain), found.most_percent) < 2 * found.noise_percent;
}

// What a replay has found takes the model's place, whether the frees stay or go. The way through a
// library's hook is told beside it, where there is a library: who changes the program's own text
// doesn't go that way.
void take_replayed_gain(advice &a, const advice_report &report) {
    if (a.left_out && a.left_out->replayed && is_lost_in_noise(0, *a.left_out->replayed))
        a.left_out->replayed.reset();
    if (a.left_out && a.left_out->replayed)
        complete(*a.left_out->replayed, a, a.objects + a.left_out->objects, report);
    if (a.replayed && is_lost_in_noise(a.cpu_percent.high, *a.replayed)) a.replayed.reset();
    if (!a.replayed) return;
    complete(*a.replayed, a, a.objects, report);
    a.cpu_percent = over_all_ways(*a.replayed);
}

void leave(advice &a, std::string why) {
    a.what = remedy::leave;
    a.why = std::move(why);
    a.sketch.clear();
    a.escaping = 0; // what lives longer is other objects, and nothing is advised any more
    a.escapes.clear();
    a.more_escapes = 0;
    a.freed_by.clear();
    a.more_freeing = 0;
    a.frees_others = false;
    a.left_out.reset();
    forget_hook(a);
}

// What replays left may be the objects of a line that stays.
void drop_what_is_told(std::vector<advice> &lines) {
    std::set<std::uint32_t> told;
    std::erase_if(lines, [&](const advice &a) {
        const bool is_told = std::all_of(a.sites.begin(), a.sites.end(),
                                         [&](std::uint32_t site) { return told.contains(site); });
        told.insert(a.sites.begin(), a.sites.end());
        return a.what == remedy::leave && !a.sites.empty() && is_told;
    });
}

// What a model has promised, and no replay has found.
void leave_what_gains_nothing(advice &a) {
    if (!a.replayed || middle(best_gain(a)) >= least_shown_percent ||
        a.peak_percent.high >= least_peak_percent)
        return;
    leave(a, "replayed with the change made, the program gains next to nothing by it");
}

void leave_what_a_malloc_gains(advice &a, const malloc_gain &best) {
    if (!a.replayed || (a.what != remedy::reap && a.what != remedy::pool)) return;
    const double beyond = middle(best_gain(a)) - std::max(middle(best.cpu_percent), 0.0);
    if (beyond > least_beyond_best_malloc) return;
    leave(a, fmt::format("a pool gains at most {:.0f} % beyond what {} alone gains",
                         least_beyond_best_malloc, best.name));
}

// A wide range that may be a loss doesn't hide a gain that is sure.
bool is_better_malloc(const malloc_gain &a, const malloc_gain &b) {
    const bool sure_a = a.cpu_percent.low > 0, sure_b = b.cpu_percent.low > 0;
    if (sure_a != sure_b) return sure_a;
    return middle(a.cpu_percent) > middle(b.cpu_percent);
}

// By the middle. A range that goes further up goes further down too: that it is wider is no reason
// to hide a gain that is sure.
bool gains_less(const advice &a, const malloc_gain &than) {
    return middle(best_gain(a)) < middle(than.cpu_percent);
}

// The memory must buy more than what the arena without them gains, and the best malloc.
void weigh_left_out(advice &a, const std::vector<malloc_gain> &mallocs) {
    if (!a.left_out || !a.left_out->replayed) return;
    double least = middle(best_gain(a));
    if (!mallocs.empty()) least = std::max(least, middle(mallocs.front().cpu_percent));
    a.left_out->worth_its_memory =
        middle(gain_of_whole(*a.left_out)) > least + least_beyond_best_malloc;
}

bool comes_first(const malloc_gain &best, const std::vector<advice> &lines) {
    return best.cpu_percent.low > 0 && middle(best.cpu_percent) >= least_cpu_percent &&
           std::all_of(lines.begin(), lines.end(), [&](const advice &a) {
               const bool costs_memory = a.left_out && a.left_out->worth_its_memory;
               return a.what == remedy::leave || (gains_less(a, best) && !costs_memory);
           });
}

bool is_beyond_all(const malloc_gain &best, const std::vector<advice> &lines) {
    return std::ranges::all_of(lines, [&](const advice &a) {
        return a.what == remedy::leave || best_gain(a).high < best.cpu_percent.low;
    });
}

} // namespace

interval best_gain(const advice &a) {
    return a.replayed && a.replayed->frees_dropped ? *a.replayed->frees_dropped : a.cpu_percent;
}

interval gain_of_whole(const left_out_objects &left_out) {
    return left_out.replayed ? over_all_ways(*left_out.replayed) : interval{0, 0};
}

// Each has its middle in the other's range.
bool may_be_even(const malloc_gain &a, const malloc_gain &b) {
    const auto holds_middle = [](const interval &range, const interval &of) {
        return range.low <= middle(of) && middle(of) <= range.high;
    };
    return holds_middle(a.cpu_percent, b.cpu_percent) && holds_middle(b.cpu_percent, a.cpu_percent);
}

const malloc_gain *as_good_and_smaller(const std::vector<malloc_gain> &mallocs) {
    constexpr double clearly = 5; // percent of the peak
    const malloc_gain *least = &mallocs.front();
    for (const malloc_gain &m : mallocs)
        if (m.cpu_percent.low > 0 && m.setting.empty() && may_be_even(mallocs.front(), m) &&
            middle(m.peak_percent) > middle(least->peak_percent))
            least = &m;
    const double less = middle(least->peak_percent) - middle(mallocs.front().peak_percent);
    return less > clearly ? least : nullptr;
}

bool is_worth_it(const advice &a) {
    return a.what != remedy::leave &&
           (middle(best_gain(a)) >= least_cpu_percent || a.peak_percent.high >= least_peak_percent);
}

// It may gain nothing, and no replay has confirmed what little a model promises.
bool is_little_and_unconfirmed(const advice &a) {
    constexpr double nothing = .05;
    return !a.replayed && std::abs(a.cpu_percent.low) < nothing &&
           middle(a.cpu_percent) < least_cpu_percent;
}

bool can_be_worth_it(const advice &a) {
    return a.what == remedy::leave ||
           (a.cpu_percent.high >= least_cpu_percent && !is_little_and_unconfirmed(a)) ||
           a.peak_percent.high >= least_peak_percent ||
           (a.left_out && a.left_out->worth_its_memory);
}

void put_in_order(std::vector<advice> &lines) {
    std::erase_if(lines, [](const advice &a) {
        return a.cpu_percent.high < least_shown_percent && !is_worth_it(a);
    });
    std::stable_sort(lines.begin(), lines.end(), is_better);
}

void keep_the_best(std::vector<advice> &lines) {
    put_in_order(lines);
    if (lines.size() > most_lines) lines.resize(most_lines);
}

bool was_replayed(const advice_report &report) {
    return !report.mallocs.empty() || std::ranges::any_of(report.lines, [](const advice &a) {
        return a.replayed.has_value() || (a.left_out && a.left_out->replayed);
    });
}

void weigh(advice_report &report) {
    for (malloc_gain &m : report.mallocs) complete(m, report);
    std::stable_sort(report.mallocs.begin(), report.mallocs.end(), is_better_malloc);
    for (advice &a : report.lines) {
        take_replayed_gain(a, report);
        leave_what_gains_nothing(a);
        if (!report.mallocs.empty()) leave_what_a_malloc_gains(a, report.mallocs.front());
        weigh_left_out(a, report.mallocs);
    }
    std::stable_sort(report.lines.begin(), report.lines.end(), is_better);
    drop_what_is_told(report.lines);
    report.leave_it = std::none_of(report.lines.begin(), report.lines.end(), is_worth_it);
    report.malloc_first =
        !report.mallocs.empty() && comes_first(report.mallocs.front(), report.lines);
    report.malloc_beyond_all =
        report.malloc_first && is_beyond_all(report.mallocs.front(), report.lines);
}

} // namespace toft::lab
