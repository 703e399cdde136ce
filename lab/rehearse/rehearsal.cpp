// SPDX-License-Identifier: MIT
#include "rehearsal.hpp"

#include "result/paired.hpp"
#include "run/paths.hpp"
#include "run/side_by_side.hpp"
#include "run/target.hpp"
#include "run/touch.hpp"
#include "show/cells.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <utility>

namespace toft::lab {
namespace {

constexpr const char *rehearsal_file = "rehearsal.so";
constexpr std::size_t least_rounds = 3;
// By so much may a run differ from the recorded one.
constexpr double tolerance = .1;

bool are_alike(std::uint64_t found, std::uint64_t recorded) {
    const auto x = static_cast<double>(found), of = static_cast<double>(recorded);
    return std::abs(x - of) <= tolerance * of;
}

// What most of the advised stacks have in common in their calls of the heap, and how many they are.
template <class Key>
std::pair<Key, std::size_t> most_common(const region_plan &plan, Key (*key)(const planned_step &)) {
    std::map<Key, std::size_t> calls;
    for (const planned_step &s : plan.steps)
        if (s.site != 0) ++calls[key(s)];
    const auto most = std::ranges::max_element(calls, {}, [](const auto &c) { return c.second; });
    if (most == calls.end()) return {};
    return *most;
}

std::uint32_t module_of(const planned_step &s) { return s.module; }

std::pair<std::uint32_t, std::uint64_t> address_of(const planned_step &s) {
    return {s.module, s.address};
}

// What makes nearly all calls of the heap is a function whose place a hook takes, with an arena as
// its context: Lua's. Other hooks have none, and find the arena by <toft/current.h>.
bool is_one_call_of_heap(const region_plan &plan) {
    constexpr std::size_t most_others = 10; // one stack in so many
    return (plan.sites - most_common(plan, address_of).second) * most_others <= plan.sites;
}

// What two processes took that ran side by side, round by round.
struct pairs_of_runs {
    std::vector<double> first_ns, other_ns;

    paired_ratio ratio() const {
        constexpr double confidence = .95;
        return ratio_of_pairs(other_ns, first_ns, confidence);
    }
};

// What the other ones save, where the first ones take so many times what the program takes.
interval percent_saved(const pairs_of_runs &pairs, double times) {
    const interval ratio = pairs.ratio().between;
    return {100 * (1 - ratio.high) * times, 100 * (1 - ratio.low) * times};
}

void set_bounds(toft_rehearsed &r, const advice &a) {
    // An arena that isn't reset as it was advised must not take all of the machine's memory.
    constexpr std::uint64_t times_more = 4, least = 64 << 20;
    r.most_bytes = least + times_more * (a.region_peak_bytes + a.other_bytes_by_hook);
    // A small teardown is read often enough to be seen, and a large one so that it takes no time.
    constexpr std::uint64_t readings_of_a_life = 64, most_frees = 16;
    const std::uint64_t of_a_life = a.objects / std::max<std::uint64_t>(a.lives, 1);
    r.frees_a_reading = static_cast<std::uint32_t>(
        std::clamp<std::uint64_t>(of_a_life / readings_of_a_life, 1, most_frees));
}

} // namespace

struct rehearsal::way {
    std::unique_ptr<shared_plan> plan; // null: the program runs as it is
    bool places = false, by_hook = false;
    double cpu_ns = 0;      // of the last run, without its clock, and the way to the arena
    double teardown_ns = 0; // of that
    std::uint64_t peak_bytes = 0;
    pairs_of_runs pairs;            // behind the program, or the one that looks
    pairs_of_runs without_teardown; // the same, where it places
    bool ended_well = true;

    way() = default;
    way(const region_plan &of, toft_rehearsed_way how)
        : plan(std::make_unique<shared_plan>(of)),
          places(how == toft_rehearse_placing) {
        (*plan)->rehearsed.way = how;
    }

    void forget_counts() const {
        if (!plan) return;
        toft_verify_plan &p = **plan;
        p.placed = p.not_placed = p.lives = 0;
        p.rehearsed.others = p.rehearsed.frees = p.rehearsed.sizes_asked = 0;
        p.rehearsed.teardown_frees = 0;
        p.rehearsed.teardown_ns = p.rehearsed.clock_ns = 0;
    }

    void run(const target &program) {
        forget_counts();
        surroundings with;
        if (plan) {
            with.preload = helper_path(rehearsal_file);
            with.setting = fmt::format("{}={}", TOFT_VERIFY_FILE, plan->path());
        }
        const target_run done = run_target(program, with);
        ended_well = !done.interrupted && done.measured.failure.empty();
        cpu_ns = static_cast<double>(cost_of_run(done.measured).cpu_ns);
        peak_bytes = std::max(peak_bytes, done.measured.peak_bytes);
        if (!places) return;
        const toft_rehearsed &r = (*plan)->rehearsed;
        const auto frees = static_cast<double>(r.teardown_frees);
        cpu_ns -= r.clock_ns + r.object_ns * static_cast<double>((*plan)->placed + r.others);
        teardown_ns = r.teardown_ns - frees * (r.reading_ns / r.frees_a_reading + r.free_ns);
    }

    // The program has asked for sizes that its objects didn't have. From now on they have them.
    bool needs_sizes() const {
        if (!plan || (*plan)->rehearsed.sizes_asked == 0 || (*plan)->rehearsed.with_sizes != 0)
            return false;
        (*plan)->rehearsed.with_sizes = 1;
        return true;
    }

    // Empty: it went as it was advised.
    std::string how_it_differs(const advice &a) const {
        if (!ended_well) return "one failed, or was stopped";
        if (!places) return {};
        const toft_verify_plan &p = **plan;
        if (p.not_placed != 0) return "not each of the objects could be made there";
        if (p.rehearsed.sizes_asked != 0) return "the program asks for the sizes of objects";
        if (!are_alike(p.placed, a.objects))
            return fmt::format("{} of the objects were made, and {} when it was recorded",
                               with_commas(p.placed), with_commas(a.objects));
        if (const std::uint64_t others = by_hook ? a.others_by_hook : 0;
            !are_alike(p.placed + p.rehearsed.others, a.objects + others))
            return fmt::format("the hook made {} other objects, and {} when it was recorded",
                               with_commas(p.rehearsed.others), with_commas(others));
        if (static_cast<double>(p.lives) < (1 - tolerance) * static_cast<double>(a.lives))
            return fmt::format(
                "the arena was empty {} times in a run, and {} times in the recording",
                with_commas(p.lives), with_commas(a.lives));
        return {};
    }
};

std::string why_not_rehearsed(const advice_report &report, const advice &a) {
    if (a.what != remedy::arena || a.function == 0)
        return "only an arena within a function is measured there";
    if (report.threads != 1) return "the program has several threads";
    if (report.recordings != 1) return "there are several recordings";
    if (!std::filesystem::exists(helper_path(rehearsal_file)))
        return fmt::format("this toft was built without {}", rehearsal_file);
    return {};
}

rehearsal::rehearsal(const advice &a, const stack_tree &tree, const code_source &code,
                     target program)
    : of_(a),
      program_(std::move(program)) {
    const region_plan plan = plan_of(a, tree, code);
    ways_.push_back(std::make_unique<way>());
    ways_.push_back(std::make_unique<way>(plan, toft_rehearse_looking));
    ways_.push_back(std::make_unique<way>(plan, toft_rehearse_placing));
    if (has_hook(a) && a.others_outliving == 0) {
        ways_.push_back(std::make_unique<way>(plan, toft_rehearse_placing));
        way &hooked = *ways_.back();
        hooked.by_hook = true;
        toft_rehearsed &r = (*hooked.plan)->rehearsed;
        r.hook = a.in_library ? toft_hook_module : toft_hook_functions;
        r.hook_module = most_common(plan, module_of).first;
        r.by_current = is_one_call_of_heap(plan) ? 0 : 1;
    }
    for (const auto &w : ways_)
        if (w->places) set_bounds((*w->plan)->rehearsed, a);
}

rehearsal::~rehearsal() = default;

std::size_t rehearsal::runs_of_round() const { return 2 * (ways_.size() - 1); }

std::string rehearsal::run_pair(way &first, way &other) {
    touch_memory_for(first.peak_bytes + other.peak_bytes);
    way *pair[] = {&first, &other};
    if (rounds_ % 2 != 0) std::swap(pair[0], pair[1]); // the one that is started first
    const auto run = [&] {
        run_side_by_side({[&] { pair[0]->run(program_); }, [&] { pair[1]->run(program_); }});
    };
    run();
    if (other.needs_sizes()) run();
    for (const way *w : pair)
        if (std::string differs = w->how_it_differs(of_); !differs.empty()) return differs;
    if (first.cpu_ns <= 0) return "one took no time that could be measured";
    other.pairs.first_ns.push_back(first.cpu_ns);
    other.pairs.other_ns.push_back(other.cpu_ns);
    other.without_teardown.first_ns.push_back(first.cpu_ns);
    other.without_teardown.other_ns.push_back(other.cpu_ns - other.teardown_ns);
    return {};
}

std::string rehearsal::run() {
    way &looking = *ways_[1];
    if (std::string why_not = run_pair(*ways_[0], looking); !why_not.empty()) return why_not;
    for (std::size_t i = 2; i != ways_.size(); ++i)
        if (std::string why_not = run_pair(looking, *ways_[i]); !why_not.empty()) return why_not;
    ++rounds_;
    return {};
}

std::optional<rehearsed_gain> rehearsal::gain() const {
    if (rounds_ < least_rounds) return std::nullopt;
    const way &placing = *ways_[2], &last = *ways_.back();
    const double looked_at = ways_[1]->pairs.ratio().ratio;
    rehearsed_gain found{percent_saved(placing.pairs, looked_at), {}, {}};
    if (last.by_hook) found.frees_hooked = percent_saved(last.pairs, looked_at);
    if (of_.never_freed != of_.objects)
        found.frees_dropped = percent_saved(last.without_teardown, looked_at);
    const auto peak_saved_by = [&](const way &w) {
        return 100 -
               100 * static_cast<double>(w.peak_bytes) / static_cast<double>(ways_[1]->peak_bytes);
    };
    found.peak_percent = peak_saved_by(placing);
    if (last.by_hook && of_.peak_percent_with_others)
        found.peak_percent_with_others = peak_saved_by(last);
    return found;
}

} // namespace toft::lab
