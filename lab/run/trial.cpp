// SPDX-License-Identifier: MIT
#include "trial.hpp"

#include "interrupt.hpp"
#include "paths.hpp"
#include "result/verdict.hpp"
#include "side_by_side.hpp"
#include "touch.hpp"
#include "trial_ratios.hpp"
#include "turns.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>
#include <utility>
#include <vector>

namespace toft::lab {
namespace {

using clock = std::chrono::steady_clock;

constexpr const char *drop_in = "libtoft-malloc.so";

// Beside the command in a build, or in the library folder of an installation.
std::string find_drop_in() {
    for (const char *place : {"", "../", "../../" TOFT_LAB_LIBRARY_FOLDER "/"})
        if (std::string path = canonical_path(helper_path(std::string(place) + drop_in));
            !path.empty())
            return path;
    return {};
}

std::string program_of(const trial_settings &s) {
    return std::filesystem::path(s.of.words.front()).filename().string();
}

// The rounds of one trial.
class trial {
  public:
    trial(bench_result &result, const trial_settings &s, progress &shown)
        : suite_(result.suites.front()),
          rows_(suite_.rows),
          settings_(s),
          progress_(shown) {}

    void run() {
        for (unsigned round = 0; !is_over(round); ++round) {
            std::vector<std::size_t> turns(rows_.size());
            std::iota(turns.begin(), turns.end(), std::size_t{0});
            if (settings_.side_by_side)
                turns.erase(turns.begin()); // it is run beside each other one
            put_in_turn(turns, round);
            for (const std::size_t index : turns) {
                if (interrupted()) break;
                if (settings_.side_by_side)
                    run_pair(index, round);
                else
                    run_row(index, round);
            }
        }
        for (row &r : rows_) {
            r.repetitions = static_cast<unsigned>(r.samples.size());
            judge(r);
        }
    }

  private:
    void run_row(std::size_t index, unsigned round) {
        if (!rows_[index].problem.empty()) return;
        begin_runs(index, round, 1);
        target_run done = run(index);
        progress_.finish(0);
        if (!has_worked(index, done)) return;
        done.measured.after = std::exchange(last_, rows_[index].title());
        rows_[index].samples.push_back(std::move(done.measured));
    }

    // The row and the first one at once. Who starts first is a little faster, and that alternates.
    void run_pair(std::size_t index, unsigned round) {
        row &first = rows_.front(), &other = rows_[index];
        if (!first.problem.empty() || !other.problem.empty()) return;
        begin_runs(index, round, 2);
        target_run done, beside;
        std::vector<std::function<void()>> jobs = {[&] { beside = run(0); },
                                                   [&] { done = run(index); }};
        if (round % 2 == 1) std::swap(jobs.front(), jobs.back());
        run_side_by_side(jobs);
        progress_.finish(0);
        const bool has_first_worked = has_worked(0, beside);
        if (!has_worked(index, done) || !has_first_worked) return;
        const auto first_ns = static_cast<double>(beside.measured.phases.front().spent.cpu_ns);
        for (target_run *run : {&beside, &done}) {
            run->measured.figures[side_by_side_figure] = 2;
            run->measured.figures[first_beside_figure] = first_ns;
        }
        other.samples.push_back(std::move(done.measured));
        if (first.samples.size() <= round) first.samples.push_back(std::move(beside.measured));
    }

    void begin_runs(std::size_t index, unsigned round, unsigned at_once) {
        const row &r = rows_[index];
        progress_.start(fmt::format("{}, round {}", r.subject, round + 1), r.allocator);
        touch_memory_for(peak_bytes_ * at_once);
    }

    target_run run(std::size_t index) const {
        const allocator &a = settings_.allocators[index];
        return run_target(settings_.of, {a.preload, a.setting});
    }

    // Takes note of what it shows of the row's problems, and of the memory that is needed.
    bool has_worked(std::size_t index, const target_run &done) {
        row &r = rows_[index];
        if (done.interrupted) return false;
        r.problem = done.measured.failure;
        if (!r.problem.empty()) return false;
        peak_bytes_ = std::max(peak_bytes_, done.measured.peak_bytes);
        if (settings_.same_output) compare_output(index, done.output_digest);
        return true;
    }

    // All runs are held to the first of them.
    void compare_output(std::size_t index, const std::string &digest) {
        if (first_digest_.empty()) first_digest_ = digest;
        if (digest != first_digest_)
            rows_[index].problem = fmt::format(
                "its output differs: {}, where the first run gave {}", digest, first_digest_);
    }

    bool is_over(unsigned rounds) const {
        if (interrupted()) return true;
        const auto runs = [](const row &r) { return r.problem.empty(); };
        if (std::count_if(rows_.begin(), rows_.end(), runs) < 2 || !runs(rows_.front()))
            return rounds >= settings_.least_rounds;
        if (rounds < settings_.least_rounds) return false;
        const std::chrono::duration<double> passed = clock::now() - begin_;
        if (passed.count() > settings_.max_seconds) return true;
        return is_time_to_look(rounds) &&
               are_known(suite_, deciding_clock(settings_), settings_.precision);
    }

    suite_result &suite_;
    std::vector<row> &rows_;
    const trial_settings &settings_;
    progress &progress_;
    std::string first_digest_;
    std::string last_;
    std::uint64_t peak_bytes_ = 0; // of all runs so far
    clock::time_point begin_ = clock::now();
};

} // namespace

clock_kind deciding_clock(const trial_settings &s) {
    return s.of.client.empty() && !s.side_by_side ? clock_kind::wall : clock_kind::cpu;
}

std::vector<allocator> allocators_to_try(std::vector<allocator> known,
                                         std::vector<omission> &left_out) {
    std::vector<allocator> all;
    bool has_drop_in = false;
    for (allocator &a : known) {
        if (!a.present()) {
            if (!is_foreign_allocator(a.name)) continue; // the drop-in is looked for below
            left_out.push_back({a.name, fmt::format("not found; package {} brings it", a.package)});
            continue;
        }
        has_drop_in |= !is_foreign_allocator(a.name);
        all.push_back(a);
        if (a.name != "glibc") continue;
        a.name = "glibc huge pages";
        a.setting = glibc_huge_pages;
        all.push_back(std::move(a));
    }
    if (has_drop_in) return all;
    if (const std::string path = find_drop_in(); !path.empty())
        all.push_back({"toft", path, TOFT_LAB_VERSION, {}, {}});
    else
        left_out.push_back({"toft", fmt::format("no {} is beside this command", drop_in)});
    return all;
}

std::string rehearse(const trial_settings &s) {
    const target_run done = run_target(s.of, {});
    const std::string &how = done.measured.failure;
    if (how.empty()) return {};
    return fmt::format("{} fails by itself, under its own malloc: {}. {}", program_of(s), how,
                       how_to_succeed);
}

bench_result plan(const trial_settings &s) {
    bench_result out;
    out.allocators = s.allocators;
    suite_result suite;
    suite.name = trial_suite;
    suite.summary = fmt::format("{}", fmt::join(s.of.words, " "));
    suite.size = 1;
    suite.size_unit = "program";
    suite.cases = {{.name = program_of(s), .title = suite.summary, .family = program_of(s)}};
    for (const allocator &a : s.allocators) {
        row r;
        r.case_name = program_of(s);
        r.subject = program_of(s);
        r.allocator = a.name;
        r.by_allocator = true;
        r.is_toft = a.name.starts_with("toft");
        suite.rows.push_back(std::move(r));
    }
    out.suites.push_back(std::move(suite));
    return out;
}

void carry_out(bench_result &out, const trial_settings &s, progress &shown) {
    trial(out, s, shown).run();
    shown.clear();
    out.interrupted = interrupted();
}

} // namespace toft::lab
