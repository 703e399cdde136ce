// SPDX-License-Identifier: MIT
#pragma once

#include "advice/advice.hpp"
#include "planted_program.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

// Programs whose right advice is known.

// A group of objects, and what is right for them.
struct right_answer {
    std::string maker; // the function that makes them
    toft::lab::remedy what;
    std::string scope;          // empty: the program's whole life, or none
    std::uint64_t objects = 0;  // 0: any number
    std::uint64_t escaping = 0; // that outlive the scope, of other groups
};

struct planted_case {
    const char *name;
    void (*run)(planted_program &);
    std::vector<right_answer> right;
};

std::span<const planted_case> planted_cases();
