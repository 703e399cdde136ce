// SPDX-License-Identifier: MIT
// `toft try`: somebody's own program under every malloc.
#include "command.hpp"
#include "result_files.hpp"
#include "run/interrupt.hpp"
#include "run/recognise.hpp"
#include "show/trial_text.hpp"
#include "show/trial_verdict.hpp"
#include "show/warnings.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <stdexcept>

namespace toft::lab {
namespace {

// A program that brings its own malloc as a library: its first row is the program as it is, and
// glibc's malloc must be preloaded like any other.
void put_program_as_it_is_first(trial_settings &s, const std::string &own_library) {
    if (own_library.empty()) return;
    for (allocator &a : s.allocators)
        if (a.plain_name() == "glibc") a.preload = "libc.so.6";
    s.allocators.insert(s.allocators.begin(), {"as it is", {}, own_library, {}, {}});
}

} // namespace

int run_try(const try_request &asked) {
    const recognised_program program = recognise_program(asked.chosen.of.words.front());
    if (!program.trouble.empty()) throw std::invalid_argument(program.trouble);
    trial_settings chosen = asked.chosen;
    put_program_as_it_is_first(chosen, program.own_library);
    result_files files(asked.results);
    catch_interrupts();
    if (const std::string trouble = rehearse(chosen); !trouble.empty() && !interrupted())
        throw std::invalid_argument(trouble);
    bench_result result = plan(chosen);
    result.left_out = asked.left_out;
    measure(result, asked.command_line, [&](progress &shown) { carry_out(result, chosen, shown); });
    suite_result &suite = result.suites.front();
    suite.conclusion = trial_verdict(result, deciding_clock(chosen), chosen.precision);
    result.warnings = warnings_of(result);
    if (!program.remark.empty()) result.warnings.push_back(program.remark + ".");
    if (const char *preload = std::getenv("LD_PRELOAD"); preload && *preload)
        result.warnings.push_back(fmt::format(
            "LD_PRELOAD={} was left out of all runs: a row has its malloc there.", preload));
    files.take(result);
    printer out(stdout);
    print_trial(result, out);
    return files.finish(result, out);
}

} // namespace toft::lab
