// SPDX-License-Identifier: MIT
// `toft replay`: a recorded program's heap work under every malloc.
#include "advice/flames.hpp"
#include "advice/place_text.hpp"
#include "advice/places.hpp"
#include "advice/symbols.hpp"
#include "command.hpp"
#include "own_malloc.hpp"
#include "record/recording.hpp"
#include "result_files.hpp"
#include "run/interrupt.hpp"
#include "run/recognise.hpp"
#include "show/cells.hpp"
#include "show/replay_text.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace toft::lab {
namespace {

// The sites of a recording by what users call them.
class named_sites {
  public:
    explicit named_sites(const recording &of) : of_(of) {}

    // "#12": the stack of that number. "git+0x1234": every stack whose innermost call returns
    // there. "parse": every stack with a call of that function, what it calls included.
    std::vector<std::uint32_t> stacks_of(const std::string &site) {
        std::vector<std::uint32_t> meant;
        for (std::uint32_t stack = 0; stack != of_.stacks.size(); ++stack)
            if (is_meant(stack, site)) meant.push_back(stack);
        if (meant.empty()) meant = stacks_below(site);
        if (meant.empty())
            throw std::invalid_argument(
                fmt::format("'{}' is no site of this recording: name a function that objects are "
                            "made below, a stack by its number, as #12, or where a call returns "
                            "to, as program+0x1234",
                            site));
        return meant;
    }

    // "make_node (tree.c:12), #34": the innermost function that isn't a malloc's wrapper.
    std::string name_of(std::uint32_t stack) {
        const source_place *maker = names_.maker(stack);
        if (!maker || is_wrapper(*maker)) return fmt::format("#{}", stack);
        return fmt::format("{}, #{}", place_text(*maker), stack);
    }

  private:
    bool is_meant(std::uint32_t stack, const std::string &site) const {
        if (site.starts_with('#')) return site == fmt::format("#{}", stack);
        const stack_node &node = of_.stacks[stack];
        if (node.module >= of_.modules.size()) return false;
        const std::string module = std::filesystem::path(of_.modules[node.module].path).filename();
        return site == fmt::format("{}+{:#x}", module, node.address);
    }

    // A node's parent stands before it.
    std::vector<std::uint32_t> stacks_below(const std::string &function) {
        std::vector<bool> below(of_.stacks.size());
        std::vector<std::uint32_t> meant;
        for (std::uint32_t stack = 1; stack < of_.stacks.size(); ++stack) {
            const std::uint32_t parent = of_.stacks[stack].parent;
            below[stack] = (parent < stack && below[parent]) || is_call_of(stack, function);
            if (below[stack]) meant.push_back(stack);
        }
        return meant;
    }

    bool is_call_of(std::uint32_t stack, const std::string &function) {
        const std::vector<source_place> &places = names_.at(stack);
        return std::any_of(places.begin(), places.end(), [&](const source_place &p) {
            return p.function == function || short_name(p.function) == function;
        });
    }

    const recording &of_;
    frame_names names_{of_, read_symbols().places};
};

// At commas, but not at those of "map<int, int>::insert".
std::vector<std::string> names_in(const std::string &list) {
    std::vector<std::string> names(1);
    int depth = 0;
    for (const char c : list) {
        if (c == '<' || c == '(') ++depth;
        if (c == '>' || c == ')') --depth;
        if (c == ',' && depth <= 0)
            names.emplace_back();
        else
            names.back() += c;
    }
    return names;
}

// By stack, the option that names it, as the user gave it.
using naming_options = std::map<std::uint32_t, std::string>;

void place(placement &where, naming_options &named, named_sites &sites, const std::string &option,
           const std::vector<std::string> &groups, object_home home) {
    std::uint32_t group = 0;
    for (const std::string &list : groups) {
        const std::string words = fmt::format("{} '{}'", option, list);
        for (const std::string &name : names_in(list))
            for (const std::uint32_t stack : sites.stacks_of(name)) {
                const auto [known, is_new] = where.of_stack.try_emplace(stack, placed{home, group});
                if (!is_new && (known->second.home != home || known->second.group != group))
                    throw std::invalid_argument(fmt::format(
                        "{} and {} both name the objects of {}, which can be in one place only: "
                        "leave one of the two out, or name stacks by their numbers, as #12",
                        named[stack], words, sites.name_of(stack)));
                named[stack] = words;
            }
        ++group;
    }
}

// What the user says, or what the recording knows, where the program isn't run for it. A recording
// of another machine may know a time that doesn't fit the replay: then it is of no use.
program_cost cost_of_program(const suite_result &suite, const replay_request &asked,
                             const recording &of) {
    if (asked.program_cpu_ms) return cost_of_program(suite, *asked.program_cpu_ms * 1e6);
    if (!asked.chosen.program.words.empty() || !of.time) return cost_of_program(suite);
    const auto known_ns = static_cast<double>(of.time->least_ns + of.time->most_ns) / 2;
    program_cost cost = cost_of_program(suite, known_ns);
    cost.is_estimate = true;
    cost.problem.clear();
    return cost;
}

// "make_node (tree.c:12), #34 (1,000); ...": the sites that made the most of such objects.
std::string names_of(const std::map<std::uint32_t, std::uint64_t> &objects, named_sites &sites) {
    constexpr std::size_t most_named = 3;
    std::vector<std::pair<std::uint64_t, std::uint32_t>> by_number;
    for (const auto &[stack, count] : objects) by_number.emplace_back(count, stack);
    std::sort(by_number.rbegin(), by_number.rend());
    std::string names;
    for (std::size_t i = 0; i != std::min(by_number.size(), most_named); ++i)
        names += fmt::format("{}{} ({})", i == 0 ? "" : "; ", sites.name_of(by_number[i].second),
                             with_commas(by_number[i].first));
    if (by_number.size() > most_named) names += "; and others";
    return names;
}

std::uint64_t sum_of(const std::map<std::uint32_t, std::uint64_t> &objects) {
    std::uint64_t sum = 0;
    for (const auto &[stack, count] : objects) sum += count;
    return sum;
}

// One object that never dies keeps its arena from every reset after it.
void warn_of_immortals(bench_result &result, const compiled_counts &placed, named_sites &sites) {
    if (placed.immortals.empty()) return;
    const std::uint64_t objects = sum_of(placed.immortals);
    result.warnings.push_back(fmt::format(
        "{} freed in this recording, and from then on its arena is never reset. Choose sites "
        "without those that make such objects: {}.",
        objects == 1 ? "1 placed object isn't" : with_commas(objects) + " placed objects aren't",
        names_of(placed.immortals, sites)));
}

// So do a few that live long, until they die.
void warn_of_keepers(bench_result &result, const compiled_counts &placed, named_sites &sites) {
    constexpr std::uint64_t few = 10, many = 10;
    const arena_keepers &keepers = placed.keepers;
    const bool are_told = std::ranges::any_of(
        keepers.objects, [&](const auto &made) { return placed.immortals.contains(made.first); });
    if (are_told || keepers.times < many * (placed.arena_resets + 1) ||
        sum_of(keepers.objects) * few > placed.placed)
        return;
    result.warnings.push_back(fmt::format(
        "{} times a few objects alone kept their arena from being reset, while all others in it "
        "were dead. Choose sites without those that make such objects: {}.",
        with_commas(keepers.times), names_of(keepers.objects, sites)));
}

// An arena keeps its memory until none of its objects lives.
void warn_of_growth(bench_result &result, const predicted_rows &rows,
                    const compiled_counts &placed) {
    constexpr double much = 1.5, mebibyte = 1 << 20;
    for (const predicted_row &r : rows) {
        const auto own = std::ranges::find_if(rows, [&](const predicted_row &other) {
            return other.subject == as_recorded && other.allocator == r.allocator;
        });
        if (r.subject == as_recorded || own == rows.end() || r.rounds == 0) continue;
        const double peak = r.heap_peak_bytes.middle, before = own->heap_peak_bytes.middle;
        if (own->rounds == 0 || peak < much * before || peak < before + mebibyte) continue;
        result.warnings.push_back(fmt::format(
            "with these objects in arenas, {} takes {:.1f} MiB at the peak instead of {:.1f}: an "
            "arena is reset only when none of its objects lives, {}.",
            r.allocator, peak / mebibyte, before / mebibyte,
            placed.arena_resets == 0 ? "which never happens here"
                                     : "here " + counted(placed.arena_resets, "time")));
        return;
    }
}

} // namespace

int run_replay(const replay_request &asked) {
    replay_settings chosen = asked.chosen;
    recognised_program program;
    const std::vector<std::string> &words = chosen.program.words;
    if (!words.empty()) program = recognise_program(words.front());
    if (!program.trouble.empty()) throw std::invalid_argument(program.trouble);
    const recording of = read_recording(chosen.recording_path);
    const std::string own_library = malloc_of(of, program);
    put_own_malloc_first(chosen.allocators, own_library);
    named_sites sites(of);
    naming_options named;
    place(chosen.where, named, sites, "--arena", asked.arenas, object_home::arena);
    place(chosen.where, named, sites, "--pool", asked.pools, object_home::pool);
    result_files files(asked.results, {chosen.recording_path});
    catch_interrupts();
    const compiled_recording recorded(of);
    if (recorded.counts.allocations == 0)
        throw std::invalid_argument(chosen.recording_path + " has no allocations to replay");
    std::optional<compiled_recording> placed;
    if (!chosen.where.of_stack.empty()) placed.emplace(of, chosen.where);
    const compiled_recordings programs{recorded, placed ? &*placed : nullptr};
    bench_result result = plan(chosen, programs);
    result.left_out = asked.left_out;
    measure(result, asked.command_line,
            [&](progress &shown) { carry_out(result, chosen, programs, shown); });
    suite_result &suite = result.suites.front();
    const program_cost cost = cost_of_program(suite, asked, of);
    note_predictions(suite, cost);
    const predicted_rows predicted = predict(suite, cost);
    suite.conclusion = replay_in_short(predicted, cost);
    if (!own_library.empty())
        result.warnings.push_back(
            fmt::format("the program brings the malloc of {}: that is the first row, to "
                        "which the others are compared.",
                        own_library));
    else if (!program.remark.empty())
        result.warnings.push_back(program.remark + ".");
    if (!of.incomplete.empty())
        result.warnings.push_back(
            fmt::format("the recording has no end: {}. Its part is replayed.", of.incomplete));
    if (placed) warn_of_immortals(result, placed->counts, sites);
    if (placed) warn_of_keepers(result, placed->counts, sites);
    if (!asked.arenas.empty()) warn_of_growth(result, predicted, placed->counts);
    files.take(result);
    printer out(stdout);
    print_replay(result, programs, cost, out);
    return files.finish(result, out);
}

} // namespace toft::lab
