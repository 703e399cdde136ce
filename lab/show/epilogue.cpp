// SPDX-License-Identifier: MIT
#include "epilogue.hpp"

#include "cells.hpp"
#include "result/drift.hpp"
#include "result/figures.hpp"
#include "suite_tables.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace toft::lab {
namespace {

void print_circumstances(const bench_result &result, printer &out) {
    const machine_facts &m = result.machine;
    out.heading("Measured on");
    out.text(fmt::format("{}, {}{}, {:.0f} GiB; {}; {}; huge pages: {}, defrag: {}; load {:.2f}",
                         m.cpu, counted(m.cpus, "CPU"),
                         m.hypervisor == "virtual machine" ? " (virtual machine)" : "",
                         static_cast<double>(m.memory_bytes) / (1U << 30U), m.system, m.kernel,
                         m.huge_pages, m.huge_pages_defrag, result.load.average_at_start));
    out.text(fmt::format("{}, {}", result.build.compiler, result.build.flags));
    std::vector<std::string> versions;
    for (const allocator &a : result.allocators)
        if (a.present()) versions.push_back(fmt::format("{} {}", a.name, a.version));
    out.text(fmt::format("{}", fmt::join(versions, ", ")));
}

// Which cases had how many processes: "5 (tree), 25 (arena hot)". Rows with a problem say by
// themselves how many they had.
std::vector<std::string> repetitions_of(const bench_result &result) {
    std::map<std::size_t, std::vector<std::string>> places;
    for (const suite_result &s : result.suites)
        for (const row &r : s.rows) {
            if (!r.problem.empty()) continue;
            std::vector<std::string> &with_as_many = places[r.samples.size()];
            const std::string place = title_of_case(s, r.case_name);
            if (with_as_many.empty() || with_as_many.back() != place) with_as_many.push_back(place);
        }
    std::vector<std::string> parts;
    for (const auto &[count, names] : places)
        parts.push_back(places.size() == 1 ? std::to_string(count)
                                           : fmt::format("{} ({})", count, fmt::join(names, ", ")));
    return parts;
}

// The spreads, in percent, above which rows of this result are noisy, from the narrowest.
std::set<double> noisy_spreads_of(const bench_result &result) {
    std::set<double> found;
    for (const suite_result &s : result.suites)
        for (const row &r : s.rows) found.insert(std::round(r.noisy_spread * 100));
    return found;
}

// What the repetitions have shown of the noise; the figure of a row is the one that stands for it.
std::string precision_of(const bench_result &result) {
    std::vector<double> spreads;
    for (const suite_result &s : result.suites)
        for (const row &r : s.rows)
            if (r.samples.size() > 1 && !r.figures.empty())
                spreads.push_back(main_figure_of(r).cpu_ns.spread);
    if (spreads.empty()) return "No row has a second process, which would show its spread.";
    std::sort(spreads.begin(), spreads.end());
    const auto percent_at = [&](std::size_t tenths) {
        return 100 * spreads[(spreads.size() - 1) * tenths / 10];
    };
    return fmt::format("Half of the rows spread by at most {:.1f} %, nine of ten by {:.1f} %.",
                       percent_at(5), percent_at(9));
}

void print_method(const bench_result &result, const settings &chosen, printer &out) {
    out.heading("Method");
    out.text(method_of(result));
    if (chosen.full) return;
    std::vector<std::string> reduced;
    for (const suite *of : chosen.suites)
        if (result.find(of->name) && !chosen.size && of->size.quick != of->size.full)
            reduced.push_back(fmt::format("{}: {} {} instead of {}", of->name, of->size.unit,
                                          with_commas(of->size.quick), with_commas(of->size.full)));
    if (!chosen.repetitions) reduced.push_back("fewer processes");
    if (!reduced.empty()) out.text(fmt::format("Without --full: {}.", fmt::join(reduced, ", ")));
}

void print_conclusions(const bench_result &result, printer &out) {
    out.heading("In short");
    for (const suite_result &s : result.suites)
        out.text(fmt::format("{}: {}", s.name, s.conclusion));
}

void print_doubts(const bench_result &result, printer &out) {
    for (const std::string &warning : result.warnings) out.text("Warning: " + warning);
    for (const suite_result &s : result.suites)
        if (const std::string drifting = describe_drifts(s); !drifting.empty())
            out.text("Drift: " + drifting);
    for (const std::string &remark : remarks_of(result)) out.text("Warning: " + remark);
}

void print_what_is_missing(const bench_result &result, printer &out) {
    if (!result.left_out.empty()) out.heading("Left out");
    for (const omission &l : result.left_out) out.text(fmt::format("{}: {}", l.what, l.why));
}

void print_problems(const bench_result &result, printer &out) {
    const std::vector<std::string> problems = problems_of(result);
    if (!problems.empty()) out.heading("Problems");
    for (const std::string &problem : problems) out.text(problem);
    if (result.interrupted) out.text(std::string("\n") + interrupted_words);
}

} // namespace

std::vector<std::string> problems_of(const bench_result &result) {
    std::vector<std::string> problems;
    for (const suite_result &s : result.suites)
        for (const row &r : s.rows) {
            if (r.problem.empty()) continue;
            const std::string kept =
                r.samples.empty()
                    ? ""
                    : fmt::format("; {} of {} repetitions kept", r.samples.size(), r.repetitions);
            problems.push_back(fmt::format("{}, {}: {}{}", title_of_case(s, r.case_name), r.title(),
                                           r.problem, kept));
        }
    return problems;
}

std::vector<std::string> remarks_of(const bench_result &result) {
    std::vector<std::string> remarks;
    for (const suite_result &s : result.suites)
        for (const row &r : s.rows)
            if (!r.remark.empty())
                remarks.push_back(
                    fmt::format("{}, {} {}.", title_of_case(s, r.case_name), r.title(), r.remark));
    return remarks;
}

std::string method_of(const bench_result &result) {
    return fmt::format(
        "One subject a process. Processes for each figure, interleaved: {}; before each, as much "
        "memory as it needs is touched once and given back. CPU time (user and system), medians. "
        "±: interquartile range ÷ median; a ratio of figures above {} % gets a ~. *: best of "
        "its column. {}",
        fmt::join(repetitions_of(result), ", "), fmt::join(noisy_spreads_of(result), " or "),
        precision_of(result));
}

void print_result(const bench_result &result, const settings &chosen, printer &out) {
    for (const suite *of : chosen.suites)
        if (const suite_result *s = result.find(of->name)) print_suite(*of, *s, out);
    print_method(result, chosen, out);
    print_circumstances(result, out);
    print_what_is_missing(result, out);
    print_problems(result, out);
    print_conclusions(result, out);
    print_doubts(result, out);
}

} // namespace toft::lab
