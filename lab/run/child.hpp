// SPDX-License-Identifier: MIT
#pragma once

#include "subject/session.hpp"

#include <cstdint>
#include <string>
#include <vector>

// One subject in one process: the hidden subcommand with which the lab calls itself.
namespace toft::lab {

struct assignment {
    std::string suite;
    std::string case_name;
    std::string subject;
    std::string allocator; // that must be this process's malloc
    std::uint64_t size = 0;
    run_mode mode = run_mode::timed;
};

// The command line that carries it to the child, and back.
std::vector<std::string> to_arguments(const assignment &);
inline constexpr const char *assignment_command = "measure-one";

// In the child: runs it and hands the measurement to the parent. Throws when it can't be run.
void carry_out(const assignment &);

} // namespace toft::lab
