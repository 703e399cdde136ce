// SPDX-License-Identifier: MIT
// The suite `programs`: libraries that others wrote do real work on real input, on each malloc and,
// through the library's own hook, on Toft's strategies.
#include "libraries.hpp"
#include "subject/registry.hpp"
#include "workloads/aged/footprint.hpp"

#include <fmt/format.h>

namespace toft::lab {
namespace {

constexpr const char *round_phase = "round";

void run_program(session &run, memory_kind memory, bool drops_frees) {
    const program_case &c = find_program_case(run.case_name());
    const program_module &module = load_program(c);
    if (memory != memory_kind::heap)
        run.set_version(fmt::format("{}, with {} {}", TOFT_LAB_VERSION, c.name, module.version));
    const auto program = module.make({c.name, run.size(), memory, drops_frees});
    footprint resident;
    const auto note_peak = [&] { resident.note_peak(); };
    const unsigned rounds = run.counted() ? 1 : c.rounds;
    for (unsigned round = 1; round <= rounds; ++round) {
        std::uint64_t sum = 0;
        run.timed(round_phase, round, operations(program->operations()),
                  [&] { sum = program->round(note_peak); });
        run.check(sum == program->expected_sum(), fmt::format("round {} found the sum {}, not {}",
                                                              round, sum, program->expected_sum()));
        run.set_figure("sum", static_cast<double>(sum));
    }
    resident.report_peak(run);
    resident.report_now(run, resident_freed);
}

template <class Condition>
std::vector<std::string> cases_where(Condition holds) {
    std::vector<std::string> names;
    for (const program_case &c : program_cases())
        if (holds(c)) names.push_back(c.name);
    return names;
}

subject on_toft(std::string name, memory_kind memory, bool drops_frees) {
    return {.name = drops_frees ? name + ", frees dropped" : name,
            .is_toft = true,
            .competes = !drops_frees, // it leaves out work that the others do
            .run = [=](session &run) { run_program(run, memory, drops_frees); },
            .cases = cases_where([=](const program_case &c) {
                return drops_frees ? c.can_drop_frees : !c.only_drops;
            })};
}

std::vector<subject> make_subjects() {
    std::vector<subject> subjects = {
        {.name = "malloc", .by_allocator = true, .run = [](session &run) {
             run_program(run, memory_kind::heap, false);
         }}};
    for (const bool drops : {false, true}) {
        subjects.push_back(on_toft("toft::pool", memory_kind::pool, drops));
        subjects.push_back(on_toft("toft::reap", memory_kind::reap, drops));
        subjects.push_back(on_toft("toft::arena", memory_kind::arena, drops));
    }
    return subjects;
}

std::vector<bench_case> make_cases() {
    std::vector<bench_case> cases;
    for (const program_case &c : program_cases())
        cases.push_back({.name = c.name, .title = c.title, .missing = why_missing(c)});
    return cases;
}

suite_table table_of(std::vector<std::string> cases, unsigned rounds) {
    const selection first{{round_phase}, 1, 1};
    const selection later{{round_phase}, 2, rounds};
    const selection last{{round_phase}, rounds, rounds};
    return {.heading = "programs: {case}, at {size}, CPU ms of a round",
            .cases = std::move(cases),
            .columns = {decides({"first", quantity::milliseconds, first, {}, true}, "first round"),
                        {"±", quantity::spread, first},
                        decides({"later", quantity::milliseconds, later, {}, true}, "later rounds"),
                        {"±", quantity::spread, later},
                        {"last", quantity::milliseconds, last, {}, true},
                        {.header = "÷malloc",
                         .shows = quantity::ratio,
                         .of = later,
                         .reference = fastest_other_malloc},
                        {.header = "gain",
                         .shows = quantity::gain_in_words,
                         .of = later,
                         .reference = fastest_other_malloc},
                        resident_column("peak", resident_peak),
                        resident_column("freed", resident_freed)}};
}

constexpr const char *note =
    "first: the first round of a process. later: the median of the rounds after it, on memory that "
    "was freed before; last: the last of them. ÷malloc: later, divided by that of the fastest "
    "malloc that isn't Toft's; gain: how much faster that is, none where it is within noise. "
    "malloc: the library's own calls. toft: memory through the library's hook, and frees as the "
    "program makes them. An arena does nothing when an object is freed, and is reset when all are. "
    "frees dropped: the program doesn't free; a pool of its own, a reap or an arena frees all at "
    "once when a document, state or context has done its work. MiB: beyond what the process began "
    "with, where most objects live, and after the last round, when none does.";

suite make_suite() {
    suite made = {
        .name = "programs",
        .summary = "libraries that others wrote, at real work, on their own hooks for memory",
        .size = {"percent of the usual input", 1, 1000, 100, 30},
        .cases = make_cases(),
        .subjects = make_subjects(),
        .tables = {},
        .note = note,
        .size_in_words =
            [](std::uint64_t percent) { return fmt::format("{} % of the usual input", percent); },
        .only_by_name = true,
        .place = 6,
    };
    for (const program_case &c : program_cases())
        made.tables.push_back(table_of({c.name}, c.rounds));
    return made;
}

const added_suite added(make_suite);

} // namespace
} // namespace toft::lab
