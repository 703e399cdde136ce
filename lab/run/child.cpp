// SPDX-License-Identifier: MIT
#include "child.hpp"

#include "process.hpp"
#include "subject/allocator.hpp"
#include "subject/registry.hpp"

#include <fmt/format.h>
#include <stdexcept>

namespace toft::lab {

std::vector<std::string> to_arguments(const assignment &a) {
    return {assignment_command,
            a.suite,
            a.case_name,
            a.subject,
            a.allocator,
            std::to_string(a.size),
            a.mode == run_mode::counted ? "counted" : "timed"};
}

void carry_out(const assignment &a) {
    const subject *s = find_suite(a.suite).find_subject(a.subject);
    if (!s) throw std::invalid_argument(fmt::format("no subject is named '{}'", a.subject));
    if (!is_running(a.allocator))
        throw std::runtime_error(fmt::format("this process's malloc comes from {}, not from {}",
                                             ask_running_allocator().library, a.allocator));

    session run(a.case_name, a.size, a.mode);
    s->run(run);
    answer_parent(nlohmann::json(run.finish()).dump());
}

} // namespace toft::lab
