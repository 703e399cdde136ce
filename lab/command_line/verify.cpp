// SPDX-License-Identifier: MIT
// `toft verify`: whether a program keeps to a piece of advice.
#include "advice/advice.hpp"
#include "command.hpp"
#include "record/recorded_file.hpp"
#include "verify/verify_text.hpp"

#include <fmt/format.h>
#include <stdexcept>

namespace toft::lab {
namespace {

const advice &advice_to_verify(const advice_report &report, const verify_request &asked) {
    if (report.sampled)
        throw std::invalid_argument(fmt::format("{} is sampled, so that there is no advice: record "
                                                "without --sample for it",
                                                asked.recording_path));
    const advice *a = advice_of_number(report, asked.number);
    if (!a)
        throw std::invalid_argument(fmt::format("there is no advice {}: toft advise {} lists what "
                                                "there is",
                                                asked.number, asked.recording_path));
    const std::string obstacle = obstacle_to_verify(*a);
    if (!obstacle.empty()) throw std::invalid_argument(obstacle);
    return *a;
}

} // namespace

int run_verify(const verify_request &asked) {
    std::vector<std::string> paths = {asked.recording_path};
    paths.insert(paths.end(), asked.more_recordings.begin(), asked.more_recordings.end());
    refuse_one_run_twice(paths);
    std::vector<recording> recordings;
    for (const std::string &path : paths) recordings.push_back(read_recording(path));
    const program_symbols symbols = read_symbols();
    const advice_report report = advise(recordings, symbols, asked.processor_seconds);
    const advice &a = advice_to_verify(report, asked);
    stack_tree tree(symbols, recordings); // in which advise() has numbered the sites
    for (const recording &r : recordings) tree.merge(r);
    const verified_run run = verify_program(a, tree, symbols.code, asked.words);
    printer out(stderr);
    print_verified(run, a, symbols.places, out);
    if (!run.findings.empty()) return exit_used_late;
    if (!saw_enough(run, a)) return exit_problems;
    return status_like(run.wait_status);
}

} // namespace toft::lab
