// SPDX-License-Identifier: MIT
#include "advise_replays.hpp"

#include "advice/others.hpp"
#include "advice/percent.hpp"
#include "replay/prediction.hpp"
#include "result/statistics.hpp"
#include "run/interrupt.hpp"
#include "run/terminal.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <unordered_set>

namespace toft::lab {
namespace {

constexpr std::size_t most_replayed_lines = 3;
// Compiling a recording, which nothing cuts short, takes this at most; it is done for each part.
constexpr double compile_ns_per_event = 250;
constexpr double least_seconds = 1; // for all replays, where compiling leaves none

struct replayed_recording {
    const recording &of;
    const compiled_recording &compiled;
    const std::vector<std::uint32_t> &nodes;
    interval program_ns;
    std::uint64_t all_objects;           // of all recordings, as those of a change are
    const target &program;               // no words: it isn't run
    std::vector<double> &program_ratios; // to the first malloc's heap work, in all rounds
    std::string &failure;                // of the first replay that had one
    progress &shown;
};

// What a part of the replays may take.
struct time_share {
    double seconds = 0;      // within which it ends
    double most_seconds = 0; // until which it goes on, where nothing would be known otherwise
};

// The gain in percent of the program's time, from a change in units of a second.
interval gain_of(const predicted_row &row, const predicted_row &first, interval program_ns) {
    const range change = change_with_noise(row, first, 1e9);
    return percent_of({-change.high * 1e9, -change.low * 1e9}, program_ns);
}

predicted_rows replayed(const replayed_recording &r, replay_settings chosen) {
    chosen.with_start = true;
    chosen.program = r.program;
    std::optional<compiled_recording> placed;
    if (!chosen.where.of_stack.empty()) placed.emplace(r.of, chosen.where);
    const compiled_recordings programs{r.compiled, placed ? &*placed : nullptr};
    bench_result result = plan(chosen, programs);
    carry_out(result, chosen, programs, r.shown);
    for (const row &one : result.suites.front().rows)
        if (r.failure.empty()) r.failure = one.problem;
    drop_unfinished_models(result.suites.front());
    drop_impossible_models(result.suites.front(), r.program_ns.high);
    std::ranges::copy(program_ratios(result.suites.front()), std::back_inserter(r.program_ratios));
    const program_cost one_second{.cpu_ns = 1e9, .peak_bytes = {}};
    return predict(result.suites.front(), one_second);
}

replay_settings settings_for(const time_share &time) {
    replay_settings s;
    std::reverse(s.models.begin(), s.models.end()); // whole objects first: the middle figure's
    s.repetitions = 3;
    s.end_seconds = time.seconds;
    s.last_seconds = time.most_seconds;
    return s;
}

std::string setting_of(const std::string &name, const std::vector<allocator> &all) {
    const auto found =
        std::find_if(all.begin(), all.end(), [&](const allocator &a) { return a.name == name; });
    return found == all.end() ? std::string() : found->setting;
}

// Objects that are small, on average, are mostly used as a whole: of them no other use is replayed,
// and this one more often. All that are replayed count, since all are used alike.
void use_small_ones_whole(replay_settings &s, const compiled_counts &all) {
    constexpr std::uint64_t most_bytes = 256;
    if (all.allocated_bytes > all.allocations * most_bytes) return;
    s.models = {"whole"};
    s.repetitions = 9;
}

predicted_rows replay_mallocs(const replayed_recording &r, const replay_bounds &bounds,
                              const time_share &time) {
    replay_settings chosen = settings_for(time);
    chosen.allocators = bounds.allocators;
    use_small_ones_whole(chosen, r.compiled.counts);
    return replayed(r, chosen);
}

interval saved_peak_percent(const predicted_row &row) {
    return {100 - row.peak_ratio.high * 100, 100 - row.peak_ratio.low * 100};
}

void add_mallocs(advice_report &report, const predicted_rows &rows, const replayed_recording &r,
                 const replay_bounds &bounds) {
    const double heap_ns = rows.empty() ? 0 : rows.front().heap_cpu_ns.middle;
    for (const predicted_row &row : rows) {
        if (row.allocator == bounds.allocators.front().name || !row.program_change) continue;
        report.mallocs.push_back({row.allocator, gain_of(row, rows.front(), r.program_ns),
                                  saved_peak_percent(row),
                                  setting_of(row.allocator, bounds.allocators), false,
                                  percent_of({heap_ns, heap_ns}, r.program_ns).high});
    }
}

// A change of the program: the objects of these sites are made elsewhere.
struct site_change {
    advice &of;
    std::vector<std::uint32_t> sites;
    std::uint64_t objects;
    std::optional<replayed_change> &found; // what it gains
    interval &peak_percent;                // that it saves
};

placement placement_of(const site_change &c, const replayed_recording &r) {
    const std::unordered_set<std::uint32_t> sites(c.sites.begin(), c.sites.end());
    const bool in_pool = c.of.what == remedy::pool || c.of.what == remedy::reap;
    placement where;
    for (std::uint32_t stack = 0; stack != r.nodes.size(); ++stack)
        if (sites.contains(r.nodes[stack]))
            where.of_stack[stack] = {in_pool ? object_home::pool : object_home::arena, 0};
    return where;
}

// The rest of the heap work isn't changed, and what else may gain by a better layout is little.
double most_percent_of(const site_change &c, const replayed_recording &r,
                       const predicted_row &first) {
    constexpr double beyond_their_share = 2;
    const double share =
        static_cast<double>(c.objects) / static_cast<double>(std::max(r.all_objects, c.objects));
    const double heap_ns = first.heap_cpu_ns.middle * std::min(share * beyond_their_share, 1.0);
    return percent_of({heap_ns, heap_ns}, r.program_ns).high;
}

predicted_rows replay_change(const site_change &c, const replayed_recording &r,
                             const replay_bounds &bounds, const time_share &time) {
    replay_settings chosen = settings_for(time);
    chosen.allocators = {bounds.allocators.front()};
    chosen.where = placement_of(c, r);
    use_small_ones_whole(chosen, r.compiled.counts);
    return chosen.where.of_stack.empty() ? predicted_rows() : replayed(r, chosen);
}

void take_peak(const site_change &c, const interval &saved_percent) {
    if (&c.peak_percent == &c.of.peak_percent)
        take_peak(c.of, saved_percent);
    else // with what was left out
        c.peak_percent = saved_percent;
}

void note_change(const site_change &c, const predicted_rows &rows, const replayed_recording &r) {
    for (const predicted_row &row : rows) {
        if (!row.program_change) continue;
        const interval gain = gain_of(row, rows.front(), r.program_ns);
        if (row.subject == placed_kept) {
            const double noise = noise_ns(row, rows.front());
            c.found = {gain,
                       {},
                       {},
                       percent_of({noise, noise}, r.program_ns).high,
                       most_percent_of(c, r, rows.front())};
        }
        const bool is_told =
            row.subject == placed_kept ||
            (row.subject == placed_hooked && c.of.what == remedy::arena && has_hook(c.of));
        if (is_told && row.peak_ratio.middle > 0) take_peak(c, saved_peak_percent(row));
        if (row.subject == placed_hooked && c.found) c.found->frees_hooked = gain;
        if (row.subject == placed_dropped && c.found) c.found->frees_dropped = gain;
    }
}

bool can_be_replayed(const advice &a) {
    return a.what != remedy::leave && a.what != remedy::reserve;
}

// The first few lines, and the first of their arenas that may be worth more memory.
std::vector<site_change> changes_of(advice_report &report) {
    std::vector<site_change> changes;
    for (advice &a : report.lines)
        if (can_be_replayed(a) && changes.size() != most_replayed_lines)
            changes.push_back({a, a.sites, a.objects, a.replayed, a.peak_percent});
    const auto dearer = std::ranges::find_if(
        changes, [](const site_change &c) { return c.of.left_out.has_value(); });
    if (dearer == changes.end()) return changes;
    advice &a = dearer->of;
    std::vector<std::uint32_t> all = a.sites;
    all.insert(all.end(), a.left_out->sites.begin(), a.left_out->sites.end());
    changes.push_back({a, std::move(all), a.objects + a.left_out->objects, a.left_out->replayed,
                       a.left_out->peak_percent});
    return changes;
}

// The mallocs, of which there are more than ways to make a change, and the changes one by one.
void replay_all(advice_report &report, replayed_recording r, const replay_bounds &bounds,
                const std::vector<site_change> &changes, const time_share &time) {
    const auto part = [&](double of) {
        return time_share{time.seconds * of, time.most_seconds * of};
    };
    const std::size_t mallocs = report.mallocs.empty() ? 1 : 0; // parts, before those of changes
    const double share = changes.empty() ? 0 : mallocs == 0 ? 1 : .5; // of the time, for changes
    std::vector<predicted_rows> parts;
    try {
        if (mallocs != 0) parts.push_back(replay_mallocs(r, bounds, part(1 - share)));
        for (const site_change &c : changes)
            if (!interrupted())
                parts.push_back(
                    replay_change(c, r, bounds, part(share / static_cast<double>(changes.size()))));
    } catch (const interruption &) {} // what was replayed before stands
    bring_to_one_pace(parts);
    const double heap_ns = heap_ns_of_first(parts);
    if (heap_ns <= 0) return;
    if (!r.program_ratios.empty()) {
        const double ns = summarise(r.program_ratios).median * heap_ns;
        r.program_ns = {ns, ns};
    }
    if (mallocs != 0) add_mallocs(report, parts.front(), r, bounds);
    for (std::size_t i = mallocs; i < parts.size(); ++i)
        note_change(changes[i - mallocs], parts[i], r);
}

} // namespace

void add_replays(advice_report &report, const std::vector<recording> &recordings,
                 const replay_bounds &bounds) {
    const auto &events = report.events_of_recordings;
    const auto most_events = std::ranges::max_element(events);
    const auto largest = static_cast<std::size_t>(most_events - events.begin());
    const std::vector<site_change> changes = changes_of(report);
    const double parts = 1 + static_cast<double>(changes.size());
    const double compiling = parts * static_cast<double>(*most_events) * compile_ns_per_event / 1e9;
    const time_share left{std::max(bounds.seconds - compiling, least_seconds),
                          bounds.most_seconds - compiling};
    constexpr double compiled_at_most = .75; // of the time
    if (compiling > bounds.most_seconds * compiled_at_most) {
        report.replay_left_out =
            fmt::format("replays take some {:.0f} s: --replay-time allows more",
                        std::ceil(compiling / compiled_at_most / bounds.share));
        return;
    }
    const interval seconds = report.seconds_of_recordings[largest];
    const interval program_ns{seconds.low * 1e9, seconds.high * 1e9};
    progress shown(can_redraw(stderr) ? stderr : nullptr);
    const compiled_recording compiled(recordings[largest]);
    std::vector<double> program_ratios;
    std::string failure;
    const replayed_recording r{recordings[largest], compiled,       report.nodes[largest],
                               program_ns,          report.objects, bounds.program,
                               program_ratios,      failure,        shown};
    replay_all(report, r, bounds, changes, left);
    if (report.mallocs.empty() && !failure.empty())
        report.replay_left_out = fmt::format("no malloc could be replayed: {}", failure);
    else if (report.mallocs.empty())
        report.replay_left_out =
            fmt::format("no malloc's replay ended within {:.0f} s: --replay-time allows more",
                        bounds.most_seconds);
}

} // namespace toft::lab
