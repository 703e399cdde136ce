// SPDX-License-Identifier: MIT
#include "trial.hpp"

#include "interrupt.hpp"
#include "paths.hpp"
#include "result/verdict.hpp"
#include "touch.hpp"
#include "trial_ratios.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

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
          progress_(shown),
          digests_(rows_.size()) {}

    void run() {
        for (unsigned round = 0; !is_over(round); ++round) {
            // Each round begins with another row, and every other one goes backwards.
            for (std::size_t i = 0; i != rows_.size() && !interrupted(); ++i) {
                const std::size_t turn = round % 2 == 0 ? i : rows_.size() - 1 - i;
                run_row((turn + round / 2) % rows_.size(), round);
            }
        }
        for (row &r : rows_) {
            r.repetitions = static_cast<unsigned>(r.samples.size());
            judge(r);
        }
    }

  private:
    void run_row(std::size_t index, unsigned round) {
        row &r = rows_[index];
        if (!r.problem.empty()) return;
        const allocator &a = settings_.allocators[index];
        progress_.start(fmt::format("{}, round {}", r.subject, round + 1), r.allocator);
        touch_memory_for(peak_bytes_);
        target_run done = run_target(settings_.of, {a.preload, a.setting});
        progress_.finish(0);
        if (done.interrupted) return;
        if (!done.measured.failure.empty()) {
            r.problem = done.measured.failure;
            return;
        }
        peak_bytes_ = std::max(peak_bytes_, done.measured.peak_bytes);
        done.measured.after = std::exchange(last_, r.title());
        r.samples.push_back(std::move(done.measured));
        if (settings_.same_output) compare_output(index, done.output_digest);
    }

    // All runs are held to the first of them.
    void compare_output(std::size_t index, const std::string &digest) {
        digests_[index] = digest;
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
    std::vector<std::string> digests_;
    std::string first_digest_;
    std::string last_;
    std::uint64_t peak_bytes_ = 0; // of all runs so far
    clock::time_point begin_ = clock::now();
};

} // namespace

clock_kind deciding_clock(const trial_settings &s) {
    return s.of.client.empty() ? clock_kind::wall : clock_kind::cpu;
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
    return fmt::format(
        "{} fails by itself, under its own malloc: {}. Make it succeed first; where its "
        "status is no failure, wrap it: sh -c '... || true'",
        program_of(s), how);
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
