// SPDX-License-Identifier: MIT
#include "replays.hpp"

#include "replay_child.hpp"
#include "result/measurement_json.hpp"
#include "result/verdict.hpp"
#include "run/interrupt.hpp"
#include "run/machine.hpp"
#include "run/process.hpp"
#include "run/side_by_side.hpp"
#include "run/tell.hpp"
#include "run/touch.hpp"
#include "run/turns.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace toft::lab {
namespace {

using clock = std::chrono::steady_clock;

constexpr unsigned least_rounds = 3;
constexpr double least_limit_seconds = .1;
// Does nothing for so long that its memory is seen from outside.
constexpr const char *nothing_program = "sleep";
constexpr const char *nothing_seconds = "0.05";

bool has_pools_only(const placement &where) {
    return std::all_of(where.of_stack.begin(), where.of_stack.end(),
                       [](const auto &site) { return site.second.home == object_home::pool; });
}

row row_of(const std::string &touched, const char *subject, const std::string &allocator) {
    row r;
    r.case_name = touched;
    r.subject = subject;
    r.allocator = allocator;
    r.by_allocator = true;
    r.is_toft = subject != std::string(as_recorded) || allocator.starts_with("toft");
    return r;
}

void add_rows(suite_result &suite, const replay_settings &s) {
    for (const std::string &touched : s.models) {
        suite.cases.push_back({.name = touched,
                               .title = fmt::format("objects touched: {}", touched),
                               .family = replay_suite});
        for (const allocator &a : s.allocators)
            suite.rows.push_back(row_of(touched, as_recorded, a.name));
        if (s.where.of_stack.empty()) continue;
        const std::string &first = s.allocators.front().name;
        suite.rows.push_back(row_of(touched, placed_kept, first));
        if (has_pools_only(s.where)) continue;
        suite.rows.push_back(row_of(touched, placed_hooked, first));
        suite.rows.push_back(row_of(touched, placed_dropped, first));
    }
    if (s.program.words.empty() && !s.with_start) return;
    suite.cases.push_back({.name = start_case, .title = "starting", .family = start_case});
    for (const allocator &a : s.allocators)
        suite.rows.push_back(row_of(start_case, nothing_program, a.name));
    if (s.program.words.empty()) return;
    const std::string name = std::filesystem::path(s.program.words.front()).filename();
    suite.cases.push_back({.name = program_case, .title = name, .family = program_case});
    suite.rows.push_back(row_of(program_case, name.c_str(), s.allocators.front().name));
    suite.rows.back().is_toft = false;
}

// The rounds of one result.
class replay_rounds {
  public:
    replay_rounds(bench_result &result, const replay_settings &s,
                  const compiled_recordings &programs, progress &shown)
        : rows_(result.suites.front().rows),
          settings_(s),
          programs_(programs),
          progress_(shown),
          peak_bytes_{programs.recorded.counts.peak_live_bytes,
                      programs.recorded.counts.peak_live_bytes} {}

    void run() {
        choose_how();
        progress_.expect(rows_.size() * settings_.repetitions, 0);
        for (unsigned round = 0; !is_over(round); ++round) {
            own_.clear();
            for (const group &next : groups_in_turn(round))
                if (!interrupted() && !is_late(next)) run_group(next, round);
        }
        for (row &r : rows_) {
            r.repetitions = static_cast<unsigned>(r.samples.size());
            judge(r);
        }
    }

  private:
    using group = std::vector<row *>; // what runs side by side: all rows of a case, or one row

    // What two rows take, the first one and the last one, tells whether all rows of a case can run
    // side by side. If they can't, the two have had their turns in the first round.
    void choose_how() {
        run_group({&rows_.front()}, 0);
        tell_least_time();
        const group all = rows_of(rows_.front());
        const bool alone = all.size() == 1 && settings_.program.words.empty();
        if (interrupted() || programs_.recorded.counts.threads > 1 || alone) return;
        if (!is_late({all.back()})) run_group({all.back()}, 0);
        std::uint64_t bytes = 0;
        for (const row *r : all) bytes += peak_bytes_of(*r);
        group_seconds_ = passed_seconds() / 2 * static_cast<double>(all.size());
        const bool fits_in_time =
            settings_.end_seconds <= 0 || passed_seconds() + group_seconds_ < settings_.end_seconds;
        side_by_side_ = fits_in_time && bytes < available_memory_bytes() / 2;
        if (side_by_side_)
            for (row *r : all) r->samples.clear();
    }

    group rows_of(const row &first) {
        group all;
        for (row &r : rows_)
            if (r.case_name == first.case_name) all.push_back(&r);
        return all;
    }

    // In every round another group is the first, and another row of each, in one direction and in
    // the other. A program is run with the first case.
    std::vector<group> groups_in_turn(unsigned round) {
        std::vector<group> groups;
        for (row &r : rows_) {
            const bool joins = side_by_side_ && !groups.empty();
            if (joins && r.case_name == program_case)
                groups.front().push_back(&r);
            else if (joins && r.case_name == groups.back().back()->case_name)
                groups.back().push_back(&r);
            else
                groups.push_back({&r});
        }
        put_in_turn(groups, round);
        for (group &g : groups) put_in_turn(g, round);
        return groups;
    }

    bool is_over(unsigned round) const {
        if (interrupted() || round >= settings_.repetitions) return true;
        return round >= least_rounds && passed_seconds() > settings_.max_seconds;
    }
    double passed_seconds() const {
        return std::chrono::duration<double>(clock::now() - begin_).count();
    }
    // When no more time may be spent on a row. What has no sample in the first model says nothing
    // at all, so a large recording may take longer for that.
    double end_seconds_of(const row &r) const {
        const bool is_needed = r.case_name == rows_.front().case_name && r.samples.empty();
        return is_needed ? std::max(settings_.end_seconds, settings_.last_seconds)
                         : settings_.end_seconds;
    }
    static bool replays_together(const group &g) {
        return g.size() > 1 &&
               std::any_of(g.begin(), g.end(), [](const row *r) { return is_replay(*r); });
    }
    // One of several that are cut short together would leave nothing.
    bool is_late(const group &g) const {
        double end_seconds = 0;
        for (const row *r : g) end_seconds = std::max(end_seconds, end_seconds_of(*r));
        const double all_seconds = replays_together(g) ? group_seconds_ : 0;
        return settings_.end_seconds > 0 && passed_seconds() + all_seconds >= end_seconds;
    }
    // Said before somebody waits for it: the least rounds go on beyond the time that was allowed.
    void tell_least_time() const {
        const double processes = static_cast<double>(rows_.size()) * least_rounds;
        const double seconds = processes * passed_seconds();
        if (settings_.end_seconds > 0 || seconds <= settings_.max_seconds) return;
        tell_stderr("toft: {} processes for each of {} rows will take about {:.0f} s, although "
                    "--max-time is less: fewer --allocators take less\n",
                    least_rounds, rows_.size(), seconds);
    }
    double limit_seconds(const row &r) const {
        const double limit =
            settings_.limit_seconds * (side_by_side_ ? static_cast<double>(rows_.size()) : 1);
        if (settings_.end_seconds <= 0) return limit;
        const double left = std::max(end_seconds_of(r) - passed_seconds(), least_limit_seconds);
        return std::min(left, limit);
    }

    void run_group(group rows, unsigned round) {
        std::erase_if(rows, [&](const row *r) {
            return !r->problem.empty() || r->samples.size() > round; // it had its turn before
        });
        if (rows.empty()) return;
        progress_.start(fmt::format("{}, round {}", rows.front()->case_name, round + 1),
                        rows.size() == 1 ? rows.front()->title()
                                         : fmt::format("{} side by side", rows.size()));
        std::uint64_t bytes = 0;
        for (const row *r : rows)
            if (r->case_name != start_case) bytes += peak_bytes_of(*r);
        touch_memory_for(bytes);
        std::vector<measurement> done(rows.size());
        std::vector<std::function<void()>> jobs = jobs_for_own(rows);
        for (std::size_t i = 0; i != rows.size(); ++i)
            jobs.emplace_back([&, i] { done[i] = measure(*rows[i]); });
        const double begin_seconds = passed_seconds();
        if (side_by_side_)
            run_side_by_side(jobs);
        else
            for (const auto &job : jobs) job();
        if (replays_together(rows))
            group_seconds_ = std::max(group_seconds_, passed_seconds() - begin_seconds);
        for (std::size_t i = 0; i != rows.size(); ++i) {
            progress_.finish(0);
            done[i].figures[side_by_side_figure] =
                side_by_side_ ? static_cast<double>(jobs.size()) : 1;
            note(*rows[i], std::move(done[i]));
        }
    }

    // The replayer's own CPU time, of a program, a model and a way to free. The rows of a round
    // share it: as each has it from the same process, its noise isn't in what they differ by.
    using own_key = std::tuple<bool, std::string, std::string>;
    static own_key own_key_of(const row &r) { return {is_placed(r), r.case_name, frees_of(r)}; }

    std::vector<std::function<void()>> jobs_for_own(const group &rows) {
        std::vector<std::function<void()>> jobs;
        for (const row *r : rows) {
            if (!is_replay(*r)) continue;
            const auto [own, is_new] = own_.try_emplace(own_key_of(*r));
            if (is_new) jobs.emplace_back([this, r, &to = own->second] { to = replay(*r, true); });
        }
        return jobs;
    }

    void take_off_own(const row &r, measurement &from) {
        const measurement &own = own_.at(own_key_of(r));
        if (!own.failure.empty()) from.failure = own.failure;
        if (!from.failure.empty()) return;
        const double own_ns = from.figures[own_ns_figure] = own.figures.at(own_ns_figure);
        for (phase_sample &s : from.phases)
            s.spent.cpu_ns -= std::min(s.spent.cpu_ns, static_cast<std::uint64_t>(own_ns));
    }

    void note(row &r, measurement done) {
        if (is_replay(r)) take_off_own(r, done);
        if (interrupted() || (!done.failure.empty() && is_late({&r}))) return;
        if (!done.failure.empty()) {
            r.problem = done.failure;
            return;
        }
        if (r.case_name != start_case)
            peak_bytes_of(r) = std::max(peak_bytes_of(r), done.peak_bytes);
        done.after = std::exchange(last_, r.title());
        r.samples.push_back(std::move(done));
    }

    static bool is_replay(const row &r) {
        return r.case_name != start_case && r.case_name != program_case;
    }
    std::uint64_t &peak_bytes_of(const row &r) { return peak_bytes_[is_placed(r)]; }
    static bool is_placed(const row &r) {
        return r.subject == placed_kept || r.subject == placed_hooked ||
               r.subject == placed_dropped;
    }

    const allocator &allocator_of(const row &r) const {
        return *std::find_if(settings_.allocators.begin(), settings_.allocators.end(),
                             [&](const allocator &a) { return a.name == r.allocator; });
    }

    surroundings with(const row &r) const {
        const allocator &a = allocator_of(r);
        return {a.preload, a.setting};
    }

    measurement measure(const row &r) const {
        if (r.case_name == program_case) return run_program(settings_.program, r);
        if (r.case_name == start_case)
            return run_program({.words = {nothing_program, nothing_seconds}}, r);
        return replay(r, false);
    }

    measurement run_program(target of, const row &r) const {
        of.limit_seconds = limit_seconds(r);
        return run_target(of, with(r)).measured;
    }

    static const char *frees_of(const row &r) {
        const placed_frees frees = r.subject == placed_hooked    ? placed_frees::hooked
                                   : r.subject == placed_dropped ? placed_frees::dropped
                                                                 : placed_frees::kept;
        return frees_names[static_cast<std::size_t>(frees)];
    }

    measurement replay(const row &r, bool without_heap) const {
        const replay_assignment task{
            (is_placed(r) ? *programs_.placed : programs_.recorded).file.path(),
            allocator_of(r).plain_name(), r.case_name, frees_of(r), without_heap};
        const finished_process done = run_self(to_arguments(task), with(r), limit_seconds(r));
        measurement measured;
        if (done.trouble.empty())
            measured = nlohmann::json::parse(done.answer).get<measurement>();
        else
            measured.failure = done.trouble;
        return measured;
    }

    std::vector<row> &rows_;
    const replay_settings &settings_;
    const compiled_recordings programs_;
    progress &progress_;
    // Highest so far: of rows as recorded, and with sites placed, whose arenas may need many times
    // that. What the objects need is known before the first process, which would otherwise be the
    // only one to pay for memory that the machine hasn't ready: the malloc to which all are
    // compared.
    std::array<std::uint64_t, 2> peak_bytes_;
    std::string last_;
    std::map<own_key, measurement> own_; // in this round
    bool side_by_side_ = false;
    double group_seconds_ = 0; // that the rows of a case take together, at most until now
    clock::time_point begin_ = clock::now();
};

} // namespace

compiled_recording::compiled_recording(const recording &from, const placement &where)
    : counts(compile(from, where, file)) {}

bench_result plan(const replay_settings &s, const compiled_recordings &programs) {
    bench_result out;
    out.allocators = s.allocators;
    suite_result suite;
    suite.name = replay_suite;
    suite.summary = s.recording_path;
    const compiled_counts &counts = programs.recorded.counts;
    suite.size = counts.allocations + counts.resizes + counts.frees;
    suite.size_unit = "calls of the heap";
    add_rows(suite, s);
    out.suites.push_back(std::move(suite));
    return out;
}

void carry_out(bench_result &out, const replay_settings &s, const compiled_recordings &programs,
               progress &shown) {
    replay_rounds(out, s, programs, shown).run();
    shown.clear();
    out.interrupted = interrupted();
}

} // namespace toft::lab
