// SPDX-License-Identifier: MIT
#include "runner.hpp"

#include "allocator_variants.hpp"
#include "child.hpp"
#include "interrupt.hpp"
#include "paths.hpp"
#include "process.hpp"
#include "result/measurement_json.hpp"
#include "result/verdict.hpp"
#include "row_filter.hpp"
#include "subject/registry.hpp"
#include "touch.hpp"
#include "turns.hpp"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <stdexcept>
#include <utility>

namespace toft::lab {
namespace {

// The rows of one subject in one case: one for each allocator, or the one.
void add_rows(suite_result &result, const subject &s, const bench_case &c, const settings &chosen) {
    const auto add = [&](const std::string &allocator) {
        row r;
        r.case_name = c.name;
        r.subject = s.name;
        r.allocator = allocator;
        r.by_allocator = s.by_allocator;
        r.is_toft = s.is_toft;
        r.competes = s.competes;
        r.noisy_spread = s.noisy_spread;
        r.threads = c.threads;
        r.repetitions = c.once ? 1 : chosen.repetition_count() * c.repetition_factor;
        if (contains_ignoring_case(path_of(result.name, r), chosen.filter))
            result.rows.push_back(std::move(r));
    };
    if (!s.by_allocator) return add("glibc");
    for (const allocator &a : chosen.allocators)
        if (a.present()) add(a.name);
}

void check_size(const suite &s, std::uint64_t size) {
    if (size < s.size.smallest || size > s.size.largest)
        throw std::invalid_argument(
            fmt::format("--size of suite {} is its {}: from {} to {}, not {}", s.name, s.size.unit,
                        s.size.smallest, s.size.largest, size));
}

// An estimate of how long one timed run takes: the CPU time of the counted one, and that of
// starting a process. It only has to tell long runs from short ones.
double work_of(const row &r) {
    constexpr double start_seconds = .005;
    if (!r.problem.empty()) return 0;
    return start_seconds + (r.counted ? static_cast<double>(r.counted->process_cpu_ns) * 1e-9 : 0);
}

// The measurements of one suite, one after another.
class suite_runner {
  public:
    suite_runner(suite_result &result, const settings &chosen, progress &shown)
        : result_(result),
          memory_(find_suite(result.name).watches_memory ? memory::watched : memory::unwatched),
          chosen_(chosen),
          progress_(shown) {}

    void count() {
        for (const bench_case &c : result_.cases) count_subjects(rows_of(c));
    }

    // One of the passes: every case has its turn, and a short case several turns.
    void time(unsigned pass) {
        for (const bench_case &c : result_.cases)
            for (unsigned i = 0; i != c.repetition_factor; ++i) {
                const unsigned repetition = pass * c.repetition_factor + i;
                std::vector<row *> rows = rows_of(c);
                put_in_turn(rows, repetition);
                for (row *r : rows) time_row(*r, repetition);
            }
    }

    // After so many passes there won't be others.
    void end_after(unsigned passes) {
        for (row &r : result_.rows) r.repetitions = std::min(r.repetitions, passes * factor_of(r));
    }

    void judge_rows() {
        for (row &r : result_.rows) judge(r);
    }

  private:
    enum class run_kind {
        timed,
        counted, // under the heap counter, and the subject knows
        audited, // under the heap counter, and the subject doesn't
    };

    unsigned factor_of(const row &r) const {
        for (const bench_case &c : result_.cases)
            if (c.name == r.case_name) return c.repetition_factor;
        return 1;
    }

    std::vector<row *> rows_of(const bench_case &c) {
        std::vector<row *> rows;
        for (row &r : result_.rows)
            if (r.case_name == c.name) rows.push_back(&r);
        return rows;
    }

    // What a program asks of the heap doesn't depend on which heap it is, so one run is enough for
    // all rows of a subject.
    void count_subjects(const std::vector<row *> &rows) {
        std::set<std::string> done;
        for (row *first : rows) {
            if (!done.insert(first->subject).second || interrupted()) continue;
            progress_.start(
                fmt::format("{}, counting heap calls", title_of_case(result_, first->case_name)),
                first->subject);
            std::string problem;
            const auto counted = run_once(*first, run_kind::counted, problem);
            if (counted && problem.empty()) problem = hold_to(*counted, *first);
            for (row *r : rows) {
                if (r->subject != first->subject) continue;
                r->counted = counted;
                r->problem = problem;
            }
            progress_.finish(0);
        }
    }

    void time_row(row &r, unsigned repetition) {
        if (repetition >= r.repetitions || interrupted()) return;
        progress_.start(fmt::format("{}, repetition {} of {}", title_of_case(result_, r.case_name),
                                    repetition + 1, r.repetitions),
                        r.title());
        if (r.problem.empty()) {
            touch_memory_for(known_peak_bytes(r));
            if (auto m = run_once(r, run_kind::timed, r.problem)) {
                m->after = std::exchange(last_timed_, r.title());
                r.samples.push_back(std::move(*m));
            }
        }
        progress_.finish(work_of(r));
    }

    // The peak of the row's last run, or that of the counted run, which was on glibc, with room for
    // an allocator that needs more.
    static std::uint64_t known_peak_bytes(const row &r) {
        if (!r.samples.empty()) return r.samples.back().peak_bytes;
        return r.counted ? r.counted->peak_bytes * 3 / 2 : 0;
    }

    // A subject knows when its heap calls are counted, and could do more work then. So a run that
    // is the same as a timed one for the subject is counted too, and held to the first and to what
    // the case asks for. Where that run fails, the timed ones tell how. Only subjects that live on
    // malloc: others may take their chunks from the heap in the counted run alone, so that they can
    // be counted.
    std::string hold_to(const measurement &counted, const row &r) const {
        constexpr std::uint64_t enough_to_tell = 100;
        if (!r.by_allocator) return {};
        const auto is_its_case = [&](const bench_case &c) { return c.name == r.case_name; };
        const auto of = std::find_if(result_.cases.begin(), result_.cases.end(), is_its_case);
        if (counted.heap.allocations < enough_to_tell || of->once || interrupted()) return {};
        std::string problem;
        const auto audited = run_once(r, run_kind::audited, problem);
        if (!audited) return {};
        std::string other = describe_other_work(counted, *audited);
        return other.empty() ? describe_missing_stores(*audited, of->stored_bytes) : other;
    }

    std::optional<measurement> run_once(const row &r, run_kind kind, std::string &problem) const {
        const bool counted = kind == run_kind::counted;
        const allocator *under = kind == run_kind::timed ? allocator_of(r) : nullptr;
        const assignment task{result_.name, r.case_name,
                              r.subject,    under ? under->plain_name() : "glibc",
                              result_.size, counted};
        surroundings with;
        with.setting = find_suite(result_.name).find_subject(r.subject)->setting;
        if (kind != run_kind::timed) with.preload = helper_path(heap_counter_file);
        if (under) with = {under->preload, under->setting};
        const finished_process done =
            run_self(to_arguments(task), with, chosen_.limit_seconds,
                     kind == run_kind::timed ? memory_ : memory::unwatched);
        if (done.interrupted) return std::nullopt;
        if (!done.trouble.empty()) {
            problem = done.trouble;
            return std::nullopt;
        }
        return read_answer(done, problem);
    }

    static std::optional<measurement> read_answer(const finished_process &done,
                                                  std::string &problem) {
        try {
            auto m = nlohmann::json::parse(done.answer).get<measurement>();
            m.process_cpu_ns = done.cpu_ns;
            const double ended_ns = m.figures[ended_figure] - static_cast<double>(done.begun_ns);
            m.figures.erase(ended_figure);
            for (const resident_sample &s : done.resident)
                if (static_cast<double>(s.at_ns) <= ended_ns) m.resident.push_back(s);
            if (m.failure.empty()) return m;
            problem = "gave a wrong result: " + m.failure;
        } catch (const nlohmann::json::exception &) {
            problem = "ended without an answer";
        }
        return std::nullopt;
    }

    // Null: glibc, as it comes.
    const allocator *allocator_of(const row &r) const {
        for (const allocator &a : chosen_.allocators)
            if (r.by_allocator && a.name == r.allocator) return &a;
        return nullptr;
    }

    suite_result &result_;
    memory memory_;
    std::string last_timed_;
    const settings &chosen_;
    progress &progress_;
};

std::size_t counted_runs(const bench_result &out) {
    std::size_t runs = 0;
    for (const suite_result &s : out.suites) {
        std::set<std::pair<std::string, std::string>> subjects;
        for (const row &r : s.rows) subjects.emplace(r.case_name, r.subject);
        runs += subjects.size();
    }
    return runs;
}

void expect_timed_runs(const bench_result &out, progress &shown) {
    std::size_t runs = 0;
    double work = 0;
    for (const suite_result &s : out.suites)
        for (const row &r : s.rows) {
            runs += r.repetitions;
            work += r.repetitions * work_of(r);
        }
    shown.expect(runs, work);
}

// How long a run has taken, and whether another pass still fits into it.
class time_budget {
  public:
    explicit time_budget(std::optional<double> max_seconds) : max_seconds_(max_seconds) {}

    void end_pass() {
        const clock::time_point now = clock::now();
        longest_pass_ = std::max(longest_pass_, now - std::exchange(pass_begin_, now));
    }
    void begin_passes() { pass_begin_ = clock::now(); }
    bool has_room() const {
        const std::chrono::duration<double> then = clock::now() - begin_ + longest_pass_;
        return !max_seconds_ || then.count() <= *max_seconds_;
    }

  private:
    using clock = std::chrono::steady_clock;

    std::optional<double> max_seconds_;
    clock::time_point begin_ = clock::now();
    clock::time_point pass_begin_ = begin_;
    clock::duration longest_pass_{};
};

omission passes_without_time(unsigned done, const settings &chosen) {
    const unsigned meant = chosen.repetition_count();
    return {done + 1 == meant ? fmt::format("pass {} of {}", meant, meant)
                              : fmt::format("passes {} to {} of {}", done + 1, meant, meant),
            fmt::format("the run would have taken longer than --max-time {:g}; each row has fewer "
                        "processes",
                        *chosen.max_seconds)};
}

// With the reason of each case that was meant and isn't here.
std::string why_nothing_matches(const settings &chosen) {
    std::string text = "nothing matches";
    if (!chosen.filter.empty()) text += fmt::format(" --filter '{}'", chosen.filter);
    if (!chosen.threads.empty())
        text += fmt::format(" --threads {}", fmt::join(chosen.threads, ","));
    for (const suite *s : chosen.suites)
        for (const bench_case &c : s->cases)
            if (!c.missing.empty() &&
                contains_ignoring_case(fmt::format("{}/{}/", s->name, c.name), chosen.filter))
                text += fmt::format("; {} is left out: {}", c.name, c.missing);
    return text + "; toft bench --list shows what there is";
}

} // namespace

bench_result plan(const settings &chosen) {
    bench_result out;
    out.full = chosen.full;
    out.allocators = chosen.allocators;
    out.environment = settings_in_environment();
    for (const allocator &a : chosen.allocators)
        if (!a.present())
            out.left_out.push_back(
                {a.name, fmt::format("not found; package {} brings it", a.package)});
    for (const suite *of : chosen.suites) {
        suite_result result = result_of(*of, chosen.size_of(*of));
        check_size(*of, result.size);
        for (const subject &s : of->subjects)
            if (!s.missing.empty()) out.left_out.push_back({s.name, s.missing});
        for (const bench_case &c : of->cases) {
            if (!c.missing.empty()) {
                out.left_out.push_back({c.name, c.missing});
                continue;
            }
            for (const subject &s : of->subjects)
                if (chosen.takes(c) && s.missing.empty() && s.takes_part_in(c.name))
                    add_rows(result, s, c, chosen);
        }
        if (!result.rows.empty()) out.suites.push_back(std::move(result));
    }
    if (out.suites.empty()) throw std::invalid_argument(why_nothing_matches(chosen));
    return out;
}

void carry_out(bench_result &out, const settings &chosen, progress &shown) {
    time_budget time(chosen.max_seconds);
    std::vector<suite_runner> runners;
    for (suite_result &s : out.suites) runners.emplace_back(s, chosen, shown);
    shown.expect(counted_runs(out), 0);
    for (suite_runner &r : runners) r.count();
    expect_timed_runs(out, shown);
    time.begin_passes();
    for (unsigned pass = 0; pass != chosen.repetition_count(); ++pass) {
        if (pass != 0 && !interrupted() && !time.has_room()) {
            for (suite_runner &r : runners) r.end_after(pass);
            out.left_out.push_back(passes_without_time(pass, chosen));
            break;
        }
        for (suite_runner &r : runners) r.time(pass);
        time.end_pass();
    }
    for (suite_runner &r : runners) r.judge_rows();
    shown.clear();
    out.interrupted = interrupted();
}

} // namespace toft::lab
