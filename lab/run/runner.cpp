// SPDX-License-Identifier: MIT
#include "runner.hpp"

#include "child.hpp"
#include "interrupt.hpp"
#include "paths.hpp"
#include "process.hpp"
#include "result/verdict.hpp"
#include "touch.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>
#include <stdexcept>
#include <utility>

namespace toft::lab {
namespace {

bool contains_ignoring_case(const std::string &text, const std::string &part) {
    const auto same = [](unsigned char a, unsigned char b) {
        return std::tolower(a) == std::tolower(b);
    };
    return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

std::string path_of(const suite &s, const row &r) {
    return fmt::format("{}/{}/{}/{}", s.name, r.case_name, r.subject,
                       r.by_allocator ? r.allocator : "");
}

// The rows of one subject in one case: one for each allocator, or the one.
void add_rows(suite_result &result, const subject &s, const bench_case &c, const settings &chosen) {
    const auto add = [&](const std::string &allocator) {
        row r;
        r.case_name = c.name;
        r.subject = s.name;
        r.allocator = allocator;
        r.by_allocator = s.by_allocator;
        r.competes = s.competes;
        r.threads = c.threads;
        r.repetitions = chosen.repetition_count() * c.repetition_factor;
        if (contains_ignoring_case(path_of(*result.of, r), chosen.filter))
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

// What one timed run may take, in seconds of the counted one and of starting a process: enough to
// tell large from small.
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
          chosen_(chosen),
          progress_(shown) {}

    void count() {
        for (const bench_case &c : result_.of->cases) count_subjects(rows_of(c));
    }

    // One pass of several: every case has its turn, a short one several times.
    void time(unsigned pass) {
        for (const bench_case &c : result_.of->cases)
            for (unsigned i = 0; i != c.repetition_factor; ++i) {
                const unsigned repetition = pass * c.repetition_factor + i;
                for (row *r : in_turn(rows_of(c), repetition)) time_row(*r, repetition);
            }
    }

    void judge_rows() {
        for (row &r : result_.rows) judge(r);
    }

  private:
    std::vector<row *> rows_of(const bench_case &c) {
        std::vector<row *> rows;
        for (row &r : result_.rows)
            if (r.case_name == c.name) rows.push_back(&r);
        return rows;
    }

    // Each time another row is the first, and every other time they run backwards: so each row
    // follows now the one neighbour, now the other.
    static std::vector<row *> in_turn(std::vector<row *> rows, unsigned repetition) {
        if (rows.empty()) return rows;
        const auto first = static_cast<std::ptrdiff_t>(repetition % rows.size());
        std::rotate(rows.begin(), rows.begin() + first, rows.end());
        if (repetition % 2 == 1) std::reverse(rows.begin(), rows.end());
        return rows;
    }

    // What a program asks of the heap doesn't depend on whose heap it is: one run serves all rows
    // of a subject.
    void count_subjects(const std::vector<row *> &rows) {
        std::set<std::string> done;
        for (row *first : rows) {
            if (!done.insert(first->subject).second || interrupted()) continue;
            progress_.start(
                fmt::format("{}, counting heap calls", title_of_case(result_, first->case_name)),
                first->subject);
            std::string problem;
            const auto counted = run_once(*first, run_mode::counted, problem);
            for (row *r : rows) {
                if (r->subject != first->subject) continue;
                r->counted = counted;
                r->problem = problem;
            }
            progress_.finish(0);
        }
    }

    void time_row(row &r, unsigned repetition) {
        if (interrupted()) return;
        progress_.start(fmt::format("{}, repetition {} of {}", title_of_case(result_, r.case_name),
                                    repetition + 1, r.repetitions),
                        r.title());
        if (r.problem.empty()) {
            touch_memory(memory_needed(r));
            if (auto m = run_once(r, run_mode::timed, r.problem)) {
                m->after = std::exchange(last_timed_, r.title());
                r.samples.push_back(std::move(*m));
            }
        }
        progress_.finish(work_of(r));
    }

    // Of its last run; of the counted one, which is glibc's, with room for a larger allocator. Half
    // as much again, since the kernel may hand out other memory than it was given back.
    static std::uint64_t memory_needed(const row &r) {
        constexpr std::uint64_t hardly_any = 16U << 20U;
        constexpr std::uint64_t at_least = 128U << 20U;
        std::uint64_t peak = r.counted ? r.counted->peak_bytes * 3 / 2 : 0;
        if (!r.samples.empty()) peak = r.samples.back().peak_bytes;
        return peak < hardly_any ? 0 : std::max(at_least, peak + peak / 2);
    }

    std::optional<measurement> run_once(const row &r, run_mode mode, std::string &problem) const {
        const bool counted = mode == run_mode::counted;
        const std::string allocator = counted ? "glibc" : r.allocator;
        const assignment task{result_.of->name, r.case_name,  r.subject,
                              allocator,        result_.size, mode};
        const finished_process done =
            run_self(to_arguments(task), counted ? helper_path(heap_counter_file) : preload_of(r),
                     chosen_.limit_seconds);
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
            if (m.failure.empty()) return m;
            problem = "gave a wrong result: " + m.failure;
        } catch (const nlohmann::json::exception &) {
            problem = "ended without an answer";
        }
        return std::nullopt;
    }

    std::string preload_of(const row &r) const {
        for (const allocator &a : chosen_.allocators)
            if (r.by_allocator && a.name == r.allocator) return a.preload;
        return {};
    }

    suite_result &result_;
    std::string last_timed_;
    const settings &chosen_;
    progress &progress_;
};

std::size_t counted_runs(const outcome &out) {
    std::size_t runs = 0;
    for (const suite_result &s : out.suites) {
        std::set<std::pair<std::string, std::string>> subjects;
        for (const row &r : s.rows) subjects.emplace(r.case_name, r.subject);
        runs += subjects.size();
    }
    return runs;
}

void expect_timed_runs(const outcome &out, progress &shown) {
    std::size_t runs = 0;
    double work = 0;
    for (const suite_result &s : out.suites)
        for (const row &r : s.rows) {
            runs += r.repetitions;
            work += r.repetitions * work_of(r);
        }
    shown.expect(runs, work);
}

} // namespace

bool outcome::has_problems() const {
    for (const suite_result &s : suites)
        for (const row &r : s.rows)
            if (r.judged == verdict::failed || r.judged == verdict::elided) return true;
    return false;
}

outcome plan(const settings &chosen) {
    outcome out;
    for (const allocator &a : chosen.allocators)
        if (!a.present())
            out.missing.push_back(
                {a.name, fmt::format("not found; package {} brings it", a.package)});
    for (const suite *of : chosen.suites) {
        suite_result result;
        result.of = of;
        result.size = chosen.size_of(*of);
        check_size(*of, result.size);
        for (const subject &s : of->subjects)
            if (!s.missing.empty()) out.missing.push_back({s.name, s.missing});
        for (const bench_case &c : of->cases)
            for (const subject &s : of->subjects)
                if (chosen.takes(c) && s.missing.empty() && s.takes_part_in(c.name))
                    add_rows(result, s, c, chosen);
        if (!result.rows.empty()) out.suites.push_back(std::move(result));
    }
    if (out.suites.empty())
        throw std::invalid_argument(fmt::format(
            "nothing matches{}{}; toft bench --list shows what there is",
            chosen.filter.empty() ? "" : fmt::format(" --filter '{}'", chosen.filter),
            chosen.threads.empty() ? ""
                                   : fmt::format(" --threads {}", fmt::join(chosen.threads, ","))));
    return out;
}

void carry_out(outcome &out, const settings &chosen, progress &shown) {
    std::vector<suite_runner> runners;
    for (suite_result &s : out.suites) runners.emplace_back(s, chosen, shown);
    shown.expect(counted_runs(out), 0);
    for (suite_runner &r : runners) r.count();
    expect_timed_runs(out, shown);
    for (unsigned pass = 0; pass != chosen.repetition_count(); ++pass)
        for (suite_runner &r : runners) r.time(pass);
    for (suite_runner &r : runners) r.judge_rows();
    shown.clear();
    out.interrupted = interrupted();
}

} // namespace toft::lab
