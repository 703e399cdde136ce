// SPDX-License-Identifier: MIT
#pragma once

#include "subject/suite.hpp"

#include <span>
#include <string>

// The cases of the suite `pool`. Each is a program, a number of threads, and an amount of work.
namespace toft::lab {

enum class pool_program {
    one_live,          // allocate, free at once: 64 bytes
    one_live_small,    // the same of 4, 20, 40 and 80 bytes in turn, 10,000 times each
    one_live_large,    // the same of 1024 bytes
    in_order,          // 10,000 live of one size, freed in the order they came
    in_order_mixed,    // of 8 to 512 bytes
    in_order_large,    // of 1024 bytes
    random_order,      // 10,000 live of one size, freed in random order
    random_mixed,      // of 8 to 512 bytes
    producer_consumer, // one thread allocates, another frees, in blocks of 2000
    larson,            // a server's churn: random slots, handed from thread to thread
    larson_buffers,    // the same with buffers of 32 to 256 KiB, each page of which is written
    list,              // std::list, built, summed and cleared
    map,               // std::map, built, half erased one by one, and cleared
};

struct pool_case {
    std::string name;   // as on the command line
    std::string header; // of its column
    std::string title;  // as a heading
    pool_program program;
    unsigned threads;
    unsigned factor; // pairs of allocate and free in a round, times the suite's size
};

std::span<const pool_case> pool_cases();
const pool_case &find_pool_case(const std::string &name);
constexpr unsigned first_warm_round = 2;
constexpr unsigned last_pool_round = 3;

} // namespace toft::lab
