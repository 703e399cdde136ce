// SPDX-License-Identifier: MIT
#include "child.hpp"

#include "process.hpp"
#include "result/measurement_json.hpp"
#include "running_allocator_json.hpp"
#include "subject/allocator.hpp"
#include "subject/malloc_audit.hpp"
#include "subject/registry.hpp"

#include <chrono>
#include <fmt/format.h>
#include <stdexcept>

namespace toft::lab {

std::vector<std::string> to_arguments(const assignment &a) {
    std::vector<std::string> words = {measure_one_command, a.suite,     a.case_name,
                                      a.subject,           a.allocator, std::to_string(a.size)};
    if (a.counted) words.emplace_back("--counted");
    return words;
}

void carry_out(const assignment &a) {
    die_with_parent();
    const subject *s = find_suite(a.suite).find_subject(a.subject);
    if (!s) throw std::invalid_argument(fmt::format("no subject is named '{}'", a.subject));
    require_running(a.allocator);

    session run(a.case_name, a.size, a.counted ? run_mode::counted : run_mode::timed);
    s->run(run);
    measurement measured = run.finish();
    const auto ended = std::chrono::steady_clock::now().time_since_epoch();
    measured.figures[ended_figure] = static_cast<double>(std::chrono::nanoseconds(ended).count());
    if (measured.failure.empty()) measured.failure = audit_malloc();
    answer_parent(nlohmann::json(measured).dump());
}

void answer_with_allocator() { answer_parent(nlohmann::json(ask_running_allocator()).dump()); }

} // namespace toft::lab
