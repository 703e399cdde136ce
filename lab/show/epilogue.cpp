// SPDX-License-Identifier: MIT
#include "epilogue.hpp"

#include "cells.hpp"
#include "conclusion.hpp"
#include "result/verdict.hpp"
#include "subject/suite.hpp"
#include "warnings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <utility>

namespace toft::lab {
namespace {

void print_circumstances(const circumstances &around, const settings &chosen, printer &out) {
    const machine_facts &m = around.machine;
    out.heading("Measured on");
    out.text(
        fmt::format("{}, {} CPUs{}, {:.0f} GiB; {}; {}; huge pages: {}, defrag: {}; load {:.2f}",
                    m.cpu, m.cpus, m.hypervisor == "virtual machine" ? " (virtual machine)" : "",
                    static_cast<double>(m.memory_bytes) / (1U << 30U), m.system, m.kernel,
                    m.huge_pages, m.huge_defrag, m.load_average));
    out.text(fmt::format("{}, {}", around.build.compiler, around.build.flags));
    std::vector<std::string> versions;
    for (const allocator &a : chosen.allocators)
        if (a.present()) versions.push_back(fmt::format("{} {}", a.name, a.version));
    out.text(fmt::format("{}", fmt::join(versions, ", ")));
}

// "5 (tree), 25 (arena hot)": once for each number of processes.
std::vector<std::string> repetitions_of(const outcome &result) {
    std::map<unsigned, std::vector<std::string>> places;
    for (const suite_result &s : result.suites)
        for (const row &r : s.rows) {
            std::vector<std::string> &with_as_many = places[r.repetitions];
            const std::string place = title_of_case(s, r.case_name);
            if (with_as_many.empty() || with_as_many.back() != place) with_as_many.push_back(place);
        }
    std::vector<std::string> parts;
    for (const auto &[count, names] : places)
        parts.push_back(places.size() == 1 ? std::to_string(count)
                                           : fmt::format("{} ({})", count, fmt::join(names, ", ")));
    return parts;
}

void print_method(const outcome &result, const settings &chosen, printer &out) {
    out.heading("Method");
    out.text(fmt::format(
        "One subject a process, {} interleaved processes for each figure; before each, as much "
        "memory as it needs is touched once and given back. CPU time (user and system), medians. "
        "±: interquartile range ÷ median; a ratio of figures above {:.0f} % gets a ~. *: best of "
        "its column.",
        fmt::join(repetitions_of(result), ", "), noisy_spread * 100));
    if (chosen.full) return;
    std::vector<std::string> reduced;
    for (const suite_result &s : result.suites)
        if (!chosen.size && s.of->size.quick != s.of->size.full)
            reduced.push_back(fmt::format("{}: {} {} instead of {}", s.of->name, s.of->size.unit,
                                          with_commas(s.size), with_commas(s.of->size.full)));
    if (!chosen.repetitions) reduced.push_back("fewer processes");
    if (!reduced.empty()) out.text(fmt::format("Without --full: {}.", fmt::join(reduced, ", ")));
}

void print_conclusions(const outcome &result, printer &out) {
    out.heading("In short");
    for (const suite_result &s : result.suites)
        out.text(fmt::format("{}: {}", s.of->name, conclusion_of(s)));
}

void print_doubts(const outcome &result, const circumstances &around, printer &out) {
    for (const std::string &warning : warnings_of(result, around)) out.text("Warning: " + warning);
    for (const suite_result &s : result.suites)
        for (const row &r : s.rows)
            if (!r.remark.empty())
                out.text(fmt::format("Warning: {}, {} {}.", title_of_case(s, r.case_name),
                                     r.title(), r.remark));
}

void print_what_is_missing(const outcome &result, printer &out) {
    if (!result.missing.empty()) out.heading("Left out");
    for (const left_out &l : result.missing) out.text(fmt::format("{}: {}", l.what, l.why));
}

void print_problems(const outcome &result, printer &out) {
    bool first = true;
    for (const suite_result &s : result.suites)
        for (const row &r : s.rows) {
            if (r.problem.empty()) continue;
            if (std::exchange(first, false)) out.heading("Problems");
            const std::string kept =
                r.samples.empty()
                    ? ""
                    : fmt::format("; {} of {} repetitions kept", r.samples.size(), r.repetitions);
            out.text(fmt::format("{}, {}: {}{}", title_of_case(s, r.case_name), r.title(),
                                 r.problem, kept));
        }
    if (result.interrupted) out.text("\nInterrupted: what was measured until then is shown.");
}

} // namespace

void print_outcome(const outcome &result, const settings &chosen, const circumstances &around,
                   printer &out) {
    for (const suite_result &s : result.suites) s.of->print(s, out);
    print_method(result, chosen, out);
    print_circumstances(around, chosen, out);
    print_what_is_missing(result, out);
    print_problems(result, out);
    print_conclusions(result, out);
    print_doubts(result, around, out);
}

} // namespace toft::lab
