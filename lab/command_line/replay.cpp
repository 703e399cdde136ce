// SPDX-License-Identifier: MIT
// `toft replay`: a recorded program's heap work under every malloc.
#include "command.hpp"
#include "record/recording.hpp"
#include "result_files.hpp"
#include "run/interrupt.hpp"
#include "run/recognise.hpp"
#include "show/replay_text.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace toft::lab {
namespace {

// "#12": the stack of that number. "git+0x1234": every stack whose innermost call returns there.
bool is_meant(const recording &of, std::uint32_t stack, const std::string &site) {
    if (site.starts_with('#')) return site == fmt::format("#{}", stack);
    const stack_node &node = of.stacks[stack];
    if (node.module >= of.modules.size()) return false;
    const std::string module = std::filesystem::path(of.modules[node.module].path).filename();
    return site == fmt::format("{}+{:#x}", module, node.address);
}

std::vector<std::uint32_t> stacks_of(const recording &of, const std::string &site) {
    std::vector<std::uint32_t> meant;
    for (std::uint32_t stack = 0; stack != of.stacks.size(); ++stack)
        if (is_meant(of, stack, site)) meant.push_back(stack);
    if (meant.empty())
        throw std::invalid_argument(
            fmt::format("'{}' is no site of this recording: name a stack by its number, as #12, or "
                        "where a call returns to, as program+0x1234",
                        site));
    return meant;
}

void place(placement &where, const recording &of, const std::vector<std::string> &groups,
           object_home home) {
    std::uint32_t group = 0;
    for (const std::string &sites : groups) {
        for (std::size_t at = 0; at <= sites.size();) {
            const std::size_t end = std::min(sites.find(',', at), sites.size());
            for (const std::uint32_t stack : stacks_of(of, sites.substr(at, end - at)))
                where.of_stack[stack] = {home, group};
            at = end + 1;
        }
        ++group;
    }
}

} // namespace

int run_replay(const replay_request &asked) {
    replay_settings chosen = asked.chosen;
    if (!chosen.program.empty()) {
        const recognised_program program = recognise_program(chosen.program.front());
        if (!program.trouble.empty()) throw std::invalid_argument(program.trouble);
    }
    const recording of = read_recording(chosen.recording_path);
    place(chosen.where, of, asked.arenas, object_home::arena);
    place(chosen.where, of, asked.pools, object_home::pool);
    result_files files(asked.results);
    catch_interrupts();
    const compiled_recordings programs(of, chosen.where);
    if (programs.counts.allocations == 0)
        throw std::invalid_argument(chosen.recording_path + " has no allocations to replay");
    bench_result result = plan(chosen, programs);
    result.left_out = asked.left_out;
    measure(result, asked.command_line,
            [&](progress &shown) { carry_out(result, chosen, programs, shown); });
    program_cost program = measured_program(result.suites.front());
    if (asked.program_cpu_ms) program.cpu_ns = *asked.program_cpu_ms * 1e6;
    note_predictions(result.suites.front(), program);
    if (!of.incomplete.empty())
        result.warnings.push_back(
            fmt::format("the recording has no end: {}. Its part is replayed.", of.incomplete));
    files.take(result);
    printer out(stdout);
    print_replay(result, programs, program, out);
    return files.finish(result, out);
}

} // namespace toft::lab
