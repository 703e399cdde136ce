// SPDX-License-Identifier: MIT
#include "command.hpp"

#include "cells.hpp"
#include "interrupt.hpp"
#include "printer.hpp"
#include "registry.hpp"
#include "result_file.hpp"
#include "runner.hpp"
#include "terminal.hpp"
#include "verdict.hpp"

#include <ctime>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <system_error>

namespace toft::lab {
namespace {

circumstances look_around(const std::vector<std::string> &command_line) {
    return {command_line, fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))),
            look_at_machine(), look_at_build()};
}

std::string join(const std::vector<std::string> &parts) {
    std::string joined;
    for (const std::string &part : parts) joined += (joined.empty() ? "" : ", ") + part;
    return joined;
}

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
    out.text(join(versions));
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
                                           : fmt::format("{} ({})", count, join(names)));
    return parts;
}

void print_method(const outcome &result, const settings &chosen, printer &out) {
    out.heading("Method");
    out.text(fmt::format(
        "One subject a process, {} interleaved processes for each figure; before each, as much "
        "memory as it needs is touched once and given back. CPU time (user and system), medians. "
        "±: "
        "interquartile range ÷ median; a ratio of figures above {:.0f} % gets a ~. "
        "*: best of its column.",
        join(repetitions_of(result)), noisy_spread * 100));
    if (!chosen.quick) return;
    std::vector<std::string> reduced;
    for (const suite_result &s : result.suites)
        if (!chosen.size && s.of->size.quick != s.of->size.full)
            reduced.push_back(fmt::format("{}: {} {} instead of {}", s.of->name, s.of->size.unit,
                                          with_commas(s.size), with_commas(s.of->size.full)));
    if (!chosen.repetitions) reduced.push_back("fewer processes");
    out.text("Quick: " + join(reduced) + ".");
}

void print_what_is_missing(const outcome &result, const circumstances &around, printer &out) {
    const double load = around.machine.load_average;
    if (!around.build.optimised)
        out.text("Warning: built without optimisation; these figures mean nothing.");
    if (load > .5 * around.machine.cpus)
        out.text(fmt::format("Warning: the machine was loaded at the start ({:.2f}).", load));
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

void print_result(const outcome &result, const settings &chosen, const circumstances &around) {
    printer out(stdout, can_color(stdout));
    for (const suite_result &s : result.suites) s.of->print(s, out);
    print_method(result, chosen, out);
    print_circumstances(around, chosen, out);
    print_what_is_missing(result, around, out);
    print_problems(result, out);
}

} // namespace

int run_bench(const settings &chosen, const std::string &json_path,
              const std::vector<std::string> &command_line) {
    outcome result = plan(chosen);
    std::optional<result_file> file;
    if (!json_path.empty()) file.emplace(json_path);
    const circumstances around = look_around(command_line);

    catch_interrupts();
    progress shown(stderr);
    carry_out(result, chosen, shown);
    print_result(result, chosen, around);
    if (file) file->write(to_json(result, chosen, around));
    if (result.interrupted) return exit_interrupted;
    return result.has_problems() ? exit_problems : exit_success;
}

void print_choices(const std::vector<allocator> &known) {
    printer out(stdout, can_color(stdout));
    for (const suite &s : all_suites()) {
        if (s.hidden) continue;
        out.heading(fmt::format("{}: {}", s.name, s.summary));
        out.text(fmt::format("  --size: {}, {} to {}; {}, or {} with --quick", s.size.unit,
                             s.size.smallest, s.size.largest, s.size.full, s.size.quick));
        for (const bench_case &c : s.cases) fmt::print("  case {}: {}\n", c.name, c.title);
        for (const subject &one : s.subjects)
            fmt::print("  {}{}{}\n", one.name, one.by_allocator ? ", under each allocator" : "",
                       one.missing.empty() ? "" : fmt::format(" ({})", one.missing));
    }
    out.heading("allocators");
    for (const allocator &a : known)
        fmt::print("  {} {}\n", a.name,
                   a.present() ? a.version
                               : fmt::format("(not found; package {} brings it)", a.package));
}

} // namespace toft::lab
