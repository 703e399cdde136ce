// SPDX-License-Identifier: MIT
#pragma once

#include "advice.hpp"

#include <string>
#include <vector>

// What other mallocs gain, in words.
namespace toft::lab {

struct malloc_row {
    std::string name;
    std::string way; // "Run it with VAR=VALUE"; empty: it is linked
    std::string time, peak;
};

struct malloc_words {
    std::string best, others; // what the best of them gains alone, and each other in short
    std::string left_out;     // why no change was replayed
    std::vector<malloc_row> rows;
};

// By runs of the program, and not by replays.
bool are_measured(const std::vector<malloc_gain> &);

malloc_words words_on_mallocs(const advice_report &);

// "Link mimalloc (glibc for less memory): that alone promises more than any change that was found".
// Where ranges overlap, either may gain more: then runs of the program with the change made, where
// there were any, say most.
std::string promise_of_malloc(const advice_report &);

} // namespace toft::lab
