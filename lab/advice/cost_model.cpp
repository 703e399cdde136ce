// SPDX-License-Identifier: MIT
#include "cost_model.hpp"

#include <algorithm>

namespace toft::lab {
namespace {

const interval &pair_of(std::uint64_t live) {
    return live <= cost::few_objects ? cost::warm_pair : cost::cold_pair;
}

const interval &teardown(bool cpp) { return cpp ? cost::teardown_in_cpp : cost::teardown_in_c; }

interval times(std::uint64_t count, interval each) {
    const auto n = static_cast<double>(count);
    return {n * each.low, n * each.high};
}

double at_least_zero(double x) { return std::max(x, 0.0); }

} // namespace

interval arena_gain(const found_region &r, std::uint64_t freed, bool cpp) {
    const auto objects = static_cast<double>(r.objects), lives = static_cast<double>(r.lives);
    const interval &pair = pair_of(r.most_objects);
    // The low end: the teardown stays and calls a free that does nothing, memory is new. The high
    // end: the teardown goes too, and memory is used again.
    const double low =
        objects * (pair.low - cost::arena_object.high) - lives * cost::arena_life.high;
    const double high = objects * (pair.high - cost::arena_object.low) +
                        static_cast<double>(freed) * teardown(cpp).high -
                        lives * cost::arena_life.low;
    return {at_least_zero(low), at_least_zero(high)};
}

interval reap_gain(std::uint64_t objects, std::uint64_t peak_live) {
    const interval &pair = pair_of(peak_live);
    const auto n = static_cast<double>(objects);
    return {n * at_least_zero(pair.low - cost::reap_pair.high),
            n * (pair.high - cost::reap_pair.low)};
}

interval aligned_gain(std::uint64_t objects) { return times(objects, cost::aligned_pair_more); }

interval pool_gain(std::uint64_t objects) {
    const auto n = static_cast<double>(objects);
    return {n * (cost::glibc_handed_on.low - cost::pool_handed_on.high),
            n * (cost::glibc_handed_on.high - cost::pool_handed_on.low)};
}

interval calls_beyond_replay(std::uint64_t objects) {
    return times(objects, cost::calls_among_others);
}

interval arena_beyond_replay(std::uint64_t objects, std::uint64_t frees_dropped, bool cpp) {
    return sum_of_independent(times(objects, cost::side_by_side),
                              times(frees_dropped, teardown(cpp)));
}

interval reserve_gain(std::uint64_t moves, std::uint64_t in_place, std::uint64_t copied_bytes) {
    const interval calls_in_place = times(in_place, cost::warm_pair);
    const auto n = static_cast<double>(moves);
    const double copies = static_cast<double>(copied_bytes) * cost::copied_byte;
    return {calls_in_place.low + n * cost::warm_pair.low,
            calls_in_place.high + n * cost::cold_pair.high + copies};
}

double reap_beyond_best_malloc(std::uint64_t objects) {
    return static_cast<double>(objects) * (middle(cost::best_pair) - middle(cost::reap_pair));
}

double pool_beyond_best_malloc(std::uint64_t objects) {
    return static_cast<double>(objects) *
           (middle(cost::best_handed_on) - middle(cost::pool_handed_on));
}

} // namespace toft::lab
