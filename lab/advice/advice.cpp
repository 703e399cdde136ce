// SPDX-License-Identifier: MIT
#include "advice.hpp"

#include "candidates.hpp"
#include "cost_model.hpp"
#include "estimates.hpp"
#include "gaps.hpp"
#include "hooks.hpp"
#include "life_watch.hpp"
#include "others.hpp"
#include "percent.hpp"
#include "places.hpp"
#include "run/interrupt.hpp"
#include "scopes.hpp"
#include "sketch.hpp"
#include "weighing.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace toft::lab {
namespace {

void add_remarks(advice_report &report, const recording &r) {
    if (!r.incomplete.empty())
        report.remarks.push_back(fmt::format(
            "The end of process {}'s recording is missing: {}. What was alive then counts as "
            "never freed, where the call in which most such objects died had ended.",
            r.process_id, r.incomplete));
    for (const std::string &gap : gaps_of(r))
        report.remarks.push_back(gap + " Advice for such objects may be wrong, or missing.");
    if (r.switched_events != 0) report.remarks.push_back(words_on_switches(r));
    if (r.sampled_bytes != 0)
        report.remarks.emplace_back(
            "A sampled recording doesn't show where calls end, and so not what dies with them: "
            "record without --sample for advice.");
}

// A copy with another name has the same build id.
std::string build_of_program(const recording &r) {
    const recorded_module *program = module_of_program(r);
    return program && !program->build_id.empty() ? program->build_id : r.command_line.front();
}

// Build ids and stacks are what recordings are merged by: those of two programs share little, and
// what is said of one, in percent, is of the time of both.
void add_remark_on_programs(advice_report &report, const std::vector<recording> &recordings) {
    std::set<std::string> names, builds;
    for (const recording &r : recordings) {
        if (r.command_line.empty()) continue;
        names.insert(std::filesystem::path(r.command_line.front()).filename().string());
        builds.insert(build_of_program(r));
    }
    if (names.size() < 2 || builds.size() < 2) return;
    report.remarks.push_back(fmt::format(
        "These recordings are of different programs: {}. Advice is for the runs of one; "
        "ask for each by itself.",
        fmt::join(names, ", ")));
}

void add_remark_on_time(advice_report &report, const std::vector<recording> &recordings) {
    const auto is_unknown = [](const recording &r) { return !r.time && !r.incomplete.empty(); };
    if (std::any_of(recordings.begin(), recordings.end(), is_unknown))
        report.remarks.push_back(
            fmt::format("The recording ends before it says what CPU time the program took: {} s is "
                        "what the clock says, and too much where the program waited. --cpu "
                        "SECONDS gives the true one.",
                        seconds_text(report.processor_seconds)));
    const auto is_vague = [](const recording &r) { return r.time && r.time->only_at_most; };
    if (report.sampled || report.objects == 0) return; // then no gains are told
    if (std::none_of(recordings.begin(), recordings.end(), is_vague)) return;
    report.remarks.push_back(
        fmt::format("Recording took most of the recorded CPU time, so that the program's own "
                    "is known badly: it is at most {:.3g} s. --cpu SECONDS, or the program after "
                    "--, narrows the ranges of the gains.",
                    report.processor_seconds.high));
}

// A program that is run again may do other work, and its time includes that of processes that it
// waits for.
void add_remark_on_given_time(advice_report &report, double given) {
    const interval recorded = report.processor_seconds;
    if (given >= recorded.low / 2 && given <= recorded.high * 2) return;
    report.remarks.push_back(
        fmt::format("The recording says {} s, and {:.3g} s was measured or given: is that the same "
                    "work? A run has no input, and its other processes count.",
                    seconds_text(recorded), given));
}

// Where no line of the program's own is known, neither is what was inlined.
void add_remark_on_lines(advice_report &report, const stack_tree &tree, places &names) {
    for (std::uint32_t node = 1; node != tree.size(); ++node)
        if (tree[node].line != 0 && names.can_be_changed(node)) return;
    report.remarks.emplace_back(
        "The program has no debug information here, so that calls are those of the compiled code: "
        "what was inlined belongs to its caller. Build with -g for the calls of the text, "
        "or install its debug symbols, such as Debian's PACKAGE-dbgsym.");
}

// A region that holds less in a life, on average, is no work for an arena.
constexpr std::uint64_t least_in_a_life = 4;

// In percent of all objects; not those of regions whose objects are to be left.
double percent_of_regions(const findings &known, const std::vector<advice> &lines) {
    if (known.all.objects == 0) return 0;
    std::set<std::uint32_t> left;
    for (const advice &a : lines)
        if (a.what == remedy::leave) left.insert(a.sites.begin(), a.sites.end());
    std::uint64_t objects = 0;
    for (const found_region &r : known.regions)
        if (!r.sites.empty() && r.objects >= r.lives * least_in_a_life &&
            !left.contains(r.sites.front().site))
            objects += r.objects;
    return static_cast<double>(objects) / static_cast<double>(known.all.objects) * 100;
}

interval seconds_of(const lifetimes &all) {
    return {static_cast<double>(all.least_processor_ns) / 1e9,
            static_cast<double>(all.most_processor_ns) / 1e9};
}

// What is known of all recordings together is shared out as the clock says.
void set_seconds(advice_report &report, double known) {
    const double clocked = report.processor_seconds.high;
    for (interval &of : report.seconds_of_recordings) {
        const double share = clocked > 0 ? of.high / clocked : 0;
        of = {known * share, known * share};
    }
    report.processor_seconds = {known, known};
}

// Where most of a group grows, the others get an arena for themselves, if they are worth one.
void leave_growing_out(scope_group &group, const lifetimes &all) {
    if (mostly_grow(group.sites, all))
        std::erase_if(group.sites, [&](const owned_site &s) { return grows(all.sites[s.site]); });
}

// The C library resizes what getline() and the like are given: it must be malloc's.
std::set<std::uint32_t> resized_by_library(const lifetimes &all, places &names) {
    std::set<std::uint32_t> sites;
    for (const auto &[site, resized_at] : all.resizers)
        if (!names.can_be_changed(names.maker(resized_at))) sites.insert(site);
    return sites;
}

std::vector<found_region> regions_of(const each_recording &recordings, const stack_tree &tree,
                                     const lifetimes &all,
                                     const std::set<std::uint32_t> &of_library, places &names) {
    if (all.sampled) return {};
    const auto can_own = [&](std::uint32_t node) { return names.can_be_changed(node); };
    std::vector<scope_group> groups = group_by_scope(all, tree, can_own);
    for (scope_group &g : groups) {
        std::erase_if(g.sites, [&](const owned_site &s) {
            return of_library.contains(s.site) || !names.can_be_changed(names.maker(s.site));
        });
        leave_growing_out(g, all);
    }
    return find_regions(groups, all, tree, recordings);
}

std::vector<made_objects> made_by_sites(const advice &a, const lifetimes &all, places &names) {
    std::vector<made_objects> made;
    for (const std::uint32_t site : a.sites) {
        made.push_back(names.maker(site));
        add(made.back(), all.sites[site]);
    }
    return made;
}

// Whether a hook places the objects, and what else comes into the arenas then.
void add_ways_in(std::vector<advice> &lines, const findings &known, places &names,
                 const each_recording &passes) {
    for (advice &a : lines) {
        add_hook(a, known, names);
        add_others_of_lines(a, known, names);
    }
    add_peaks_with_others(lines, known, passes);
    for (advice &a : lines)
        if (forget_dear_hook(a, known)) add_others_of_lines(a, known, names);
    add_peaks_with_others(lines, known, passes);
}

// Adds what is told of each line that was chosen.
void complete(std::vector<advice> &lines, const findings &known, places &names,
              const each_recording &passes) {
    watch_lives(lines, known, passes);
    std::vector<freeing_line> freeing;
    if (std::ranges::any_of(lines, goes_at_once)) freeing = freeing_lines(known, names);
    add_ways_in(lines, known, names, passes);
    for (unsigned number = 0; advice & a : lines) {
        a.number = ++number;
        add_escapes(a, known, names);
        add_frees(a, freeing);
        merge_alike_makers(a);
        shorten_makers(a);
        a.sketch =
            sketch_of(a, made_by_sites(a, known.all, names), names.is_cpp(a.function, a.sites));
    }
}

// They are told as objects to leave, or to make in a reap; not where those are few, nor where some
// of them are another line's.
void number_left_out(std::vector<advice> &lines) {
    for (advice &arena : lines) {
        if (!arena.left_out) continue;
        for (const advice &other : lines)
            if (other.sites == arena.left_out->sites) arena.left_out->number = other.number;
    }
}

} // namespace

const advice *advice_of_number(const advice_report &report, unsigned number) {
    const auto found = std::find_if(report.lines.begin(), report.lines.end(),
                                    [&](const advice &a) { return a.number == number; });
    return found == report.lines.end() ? nullptr : &*found;
}

advice_report advise(const std::vector<recording> &recordings, const program_symbols &symbols,
                     std::optional<double> processor_seconds) {
    stack_tree tree(symbols, recordings);
    lifetimes all;
    advice_report report;
    std::vector<std::vector<std::uint32_t>> nodes;
    for (const recording &r : recordings) nodes.push_back(tree.merge(r));
    for (std::size_t i = 0; i != recordings.size(); ++i) {
        stop_if_interrupted();
        const interval before = seconds_of(all);
        const std::uint64_t events_before = all.events;
        add_lifetimes(all, recordings[i], tree, nodes[i]);
        const interval now = seconds_of(all);
        report.seconds_of_recordings.push_back({now.low - before.low, now.high - before.high});
        report.events_of_recordings.push_back(all.events - events_before);
        add_remarks(report, recordings[i]);
    }
    add_remark_on_programs(report, recordings);
    if (!recordings.empty() && !recordings.front().command_line.empty())
        report.program = recordings.front().command_line.front();
    report.recordings = recordings.size();
    report.events = all.events;
    report.objects = all.objects;
    report.threads = all.threads;
    report.peak_live_bytes = all.peak_live_bytes;
    report.processor_seconds = seconds_of(all);
    report.sampled = all.sampled;
    if (processor_seconds) {
        add_remark_on_given_time(report, *processor_seconds);
        set_seconds(report, *processor_seconds);
    } else {
        add_remark_on_time(report, recordings);
    }

    places names(tree, symbols.places);
    names.learn_wrappers(all.sites);
    const each_recording passes = [&](const auto &look_at) {
        for (std::size_t i = 0; i != recordings.size(); ++i) {
            stop_if_interrupted(); // also before the pass, which asks no more then
            look_at(recordings[i], nodes[i]);
        }
    };
    const std::set<std::uint32_t> of_library = resized_by_library(all, names);
    const std::vector<found_region> regions = regions_of(passes, tree, all, of_library, names);
    if (all.sampled) {
        const estimate whole = estimate_of(recordings);
        report.objects = whole.objects;
        report.peak_live_bytes = whole.peak_live_bytes;
        report.nodes = std::move(nodes);
        return report;
    }
    const interval processor_ns{report.processor_seconds.low * 1e9,
                                report.processor_seconds.high * 1e9};
    const bool is_cut = std::any_of(recordings.begin(), recordings.end(),
                                    [](const recording &r) { return !r.incomplete.empty(); });
    const findings known{tree, all, regions, processor_ns, is_cut, of_library};
    if (symbols.calls && all.objects != 0) add_remark_on_lines(report, tree, names);
    report.lines = candidates_of(known, names);
    report.region_percent = percent_of_regions(known, report.lines);
    put_in_order(report.lines);
    leave_once(report.lines, known, names);
    keep_the_best(report.lines);
    complete(report.lines, known, names, passes);
    report.leave_it =
        report.objects != 0 && std::none_of(report.lines.begin(), report.lines.end(), is_worth_it);
    number_left_out(report.lines);
    report.nodes = std::move(nodes);
    return report;
}

} // namespace toft::lab
