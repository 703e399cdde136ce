// SPDX-License-Identifier: MIT
#include "advise_replays.hpp"

#include "advice/percent.hpp"
#include "advice/weighing.hpp"
#include "replay/prediction.hpp"
#include "run/interrupt.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <unordered_set>

namespace toft::lab {
namespace {

constexpr std::size_t most_replayed_lines = 3;
// Objects that are no larger, on average, are mostly used as a whole.
constexpr std::uint64_t whole_bytes_most = 256;
// Compiling a recording, which nothing cuts short, takes this at most; it is done before each part.
constexpr double compile_ns_per_event = 250;

struct replayed_recording {
    const recording &of;
    const std::vector<std::uint32_t> &nodes;
    interval program_ns;
};

// The gain in percent of the program's time, from a change in units of a second.
interval gain_of(const range &change, interval program_ns) {
    return percent_of({-change.high * 1e9, -change.low * 1e9}, program_ns);
}

std::vector<predicted_row> replayed(const recording &of, replay_settings chosen) {
    chosen.with_start = true;
    const compiled_recordings programs(of, chosen.where);
    bench_result result = plan(chosen, programs);
    progress quiet(nullptr);
    carry_out(result, chosen, programs, quiet);
    drop_unfinished_models(result.suites.front());
    const program_cost one_second{.cpu_ns = 1e9, .peak_bytes = {}};
    return predict(result.suites.front(), one_second);
}

replay_settings settings_for(double seconds) {
    replay_settings s;
    std::reverse(s.models.begin(), s.models.end()); // whole objects first: the middle figure's
    s.repetitions = 3;
    s.end_seconds = seconds;
    return s;
}

std::string setting_of(const std::string &name, const std::vector<allocator> &all) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const allocator &a) { return a.name == name; });
    return found == all.end() ? std::string() : found->setting;
}

void add_mallocs(advice_report &report, const replayed_recording &r, const replay_bounds &bounds,
                 double seconds) {
    replay_settings chosen = settings_for(seconds);
    chosen.allocators = bounds.allocators;
    for (const predicted_row &row : replayed(r.of, chosen)) {
        if (row.allocator == bounds.allocators.front().name || !row.program_change) continue;
        const range &peak = row.peak_ratio;
        report.mallocs.push_back({row.allocator,
                                  gain_of(*row.program_change, r.program_ns),
                                  {100 - peak.high * 100, 100 - peak.low * 100},
                                  setting_of(row.allocator, bounds.allocators)});
    }
}

placement placement_of(const advice &a, const replayed_recording &r) {
    const std::unordered_set<std::uint32_t> sites(a.sites.begin(), a.sites.end());
    const bool in_pool = a.what == remedy::pool || a.what == remedy::reap;
    placement where;
    for (std::uint32_t stack = 0; stack != r.nodes.size(); ++stack)
        if (sites.contains(r.nodes[stack]))
            where.of_stack[stack] = {in_pool ? object_home::pool : object_home::arena, 0};
    return where;
}

void add_change(advice &a, const replayed_recording &r, const replay_bounds &bounds,
                double seconds) {
    replay_settings chosen = settings_for(seconds);
    chosen.allocators = {bounds.allocators.front()};
    chosen.where = placement_of(a, r);
    if (a.bytes <= a.objects * whole_bytes_most) {
        chosen.models = {"whole"};
        chosen.repetitions = 9;
    }
    if (chosen.where.of_stack.empty()) return;
    for (const predicted_row &row : replayed(r.of, chosen)) {
        if (!row.program_change) continue;
        const interval gain = gain_of(*row.program_change, r.program_ns);
        if (row.subject == placed_kept) a.replayed = {gain, {}, {}};
        if (row.subject == placed_hooked && a.replayed) a.replayed->frees_hooked = gain;
        if (row.subject == placed_dropped && a.replayed) a.replayed->frees_dropped = gain;
    }
}

bool can_be_replayed(const advice &a) {
    return a.what != remedy::leave && a.what != remedy::reserve;
}

std::uint64_t events_of(const recording &r) {
    std::uint64_t events = 0;
    r.for_each([&](std::span<const heap_event> some) { events += some.size(); });
    return events;
}

// The largest recording.
std::size_t choose(const std::vector<recording> &recordings, std::uint64_t &events) {
    std::size_t largest = 0;
    for (std::size_t i = 0; i != recordings.size(); ++i) {
        const std::uint64_t here = events_of(recordings[i]);
        if (here > events) largest = i;
        events = std::max(events, here);
    }
    return largest;
}

} // namespace

void add_replays(advice_report &report, const std::vector<recording> &recordings,
                 const replay_bounds &bounds) {
    if (report.sampled || report.objects == 0) {
        report.replay_left_out = "there is nothing to replay";
        return;
    }
    std::uint64_t events = 0;
    const std::size_t largest = choose(recordings, events);
    const interval seconds = report.seconds_of_recordings[largest];
    const replayed_recording r{
        recordings[largest], report.nodes[largest], {seconds.low * 1e9, seconds.high * 1e9}};
    std::vector<advice *> lines;
    for (advice &a : report.lines)
        if (can_be_replayed(a) && lines.size() != most_replayed_lines) lines.push_back(&a);
    const double parts = 1 + static_cast<double>(lines.size());
    const double compiling = parts * static_cast<double>(events) * compile_ns_per_event / 1e9;
    const double left = bounds.seconds - compiling;
    if (left < bounds.seconds / 4) {
        report.replay_left_out =
            fmt::format("a replay takes more than {:.0f} s: --replay-time allows more",
                        bounds.seconds + compiling);
        return;
    }
    try { // there are more mallocs than ways to make a change
        add_mallocs(report, r, bounds, lines.empty() ? left : left / 2);
        for (advice *a : lines)
            if (!interrupted())
                add_change(*a, r, bounds, left / 2 / static_cast<double>(lines.size()));
    } catch (const interruption &) {} // what was replayed before stands
    if (report.mallocs.empty())
        report.replay_left_out = fmt::format(
            "no malloc's replay ended within {:.0f} s: --replay-time allows more", bounds.seconds);
    weigh(report);
}

} // namespace toft::lab
