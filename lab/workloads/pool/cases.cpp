// SPDX-License-Identifier: MIT
#include "cases.hpp"

#include <algorithm>
#include <array>

namespace toft::lab {
namespace {

using enum pool_program;

const std::array cases = {
    pool_case{"ping-small-1", "small", "one live object of 4, 20, 40, 80 bytes", one_live_small, 1,
              8},
    pool_case{"ping-small-5", "small ×5", "one live object of 4, 20, 40, 80 bytes, 5 threads",
              one_live_small, 5, 8},
    pool_case{"ping-small-10", "small ×10", "one live object of 4, 20, 40, 80 bytes, 10 threads",
              one_live_small, 10, 8},
    pool_case{"ping-1024-1", "1024 B", "one live object of 1024 bytes", one_live_large, 1, 8},
    pool_case{"ping-1024-5", "1024 B ×5", "one live object of 1024 bytes, 5 threads",
              one_live_large, 5, 8},
    pool_case{"ping-1024-10", "1024 B ×10", "one live object of 1024 bytes, 10 threads",
              one_live_large, 10, 8},
    pool_case{"ping-1", "one", "one live object of 64 bytes", one_live, 1, 16},
    pool_case{"ping-10", "one ×10", "one live object of 64 bytes, 10 threads", one_live, 10, 16},
    pool_case{"order-64", "order 64 B", "10,000 live objects of 64 bytes, freed in order", in_order,
              1, 4},
    pool_case{"order-mixed", "order mixed", "10,000 live objects of 8 to 512 bytes, freed in order",
              in_order_mixed, 1, 4},
    pool_case{"order-1024", "order 1024 B", "10,000 live objects of 1024 bytes, freed in order",
              in_order_large, 1, 1},
    pool_case{"random-64", "random 64 B ×10",
              "10,000 live objects of 64 bytes, freed in random order, 10 threads", random_order,
              10, 4},
    pool_case{"random-mixed", "random mixed ×10",
              "10,000 live objects of 8 to 512 bytes, freed in random order, 10 threads",
              random_mixed, 10, 4},
    pool_case{"handed-on", "handed on", "one thread allocates, another frees", producer_consumer, 2,
              1},
    pool_case{"larson", "larson ×5",
              "Larson's server: objects freed by a later thread, 5 threads at a time", larson, 5,
              2},
    pool_case{"larson-buffers", "buffers ×5",
              "Larson's server with buffers of 32 to 256 KiB, 5 threads at a time", larson_buffers,
              5, 1},
    pool_case{"list", "list ×10", "a std::list built and freed on each of 10 threads", list, 10, 2},
    pool_case{"map", "map ×10", "a std::map built and freed on each of 10 threads", map, 10, 1},
};

} // namespace

std::span<const pool_case> pool_cases() { return cases; }

const pool_case &find_pool_case(const std::string &name) {
    return *std::find_if(cases.begin(), cases.end(),
                         [&](const pool_case &c) { return c.name == name; });
}

} // namespace toft::lab
