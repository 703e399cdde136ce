// SPDX-License-Identifier: MIT
#pragma once

#include "subject/session.hpp"

#include <cstdint>
#include <string>
#include <vector>

// One subject in one process: the hidden subcommands with which the lab calls itself. The command
// line room parses them into these types (command_line/options.hpp).
namespace toft::lab {

inline constexpr const char *measure_one_command = "measure-one";
inline constexpr const char *ask_allocator_command = "ask-allocator";

// When a subject ended, by the steady clock: a figure of the answer alone. What the process does
// after it, such as the audit of its malloc, isn't the subject's.
inline constexpr const char *ended_figure = "ended_ns";

struct assignment {
    std::string suite;
    std::string case_name;
    std::string subject;
    std::string allocator; // that must be this process's malloc
    std::uint64_t size = 0;
    bool counted = false; // under the heap counter
};

// The arguments that carry it to the child.
std::vector<std::string> to_arguments(const assignment &);

// To be called in the child: runs the subject and sends the measurement to the parent. Throws when
// it can't be run.
void carry_out(const assignment &);

// To be called in the child: tells the parent which malloc this process has.
void answer_with_allocator();

} // namespace toft::lab
