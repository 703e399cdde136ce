// SPDX-License-Identifier: MIT
#include "gain_text.hpp"

#include "percent.hpp"
#include "show/cells.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace toft::lab {
namespace {

// "6 to 9 %"
std::string ends(interval of) {
    const std::string low = percent(of.low), high = percent(of.high);
    return low == high ? high + " %" : fmt::format("{} to {} %", low, high);
}

std::string change_in(interval gained, std::string (&words)(interval)) {
    if (gained.low > -least_shown && gained.high < least_shown) return "as before";
    if (gained.low > -least_shown) return words({std::max(gained.low, 0.0), gained.high}) + " less";
    if (gained.high < least_shown)
        return words({std::max(-gained.high, 0.0), -gained.low}) + " more";
    return fmt::format("{} % more to {} % less", percent(-gained.low), percent(gained.high));
}

} // namespace

std::string sized(std::uint64_t bytes) {
    if (bytes < 10'000) return counted(bytes, "byte");
    const auto many = static_cast<double>(bytes);
    if (bytes < 1'000'000) return fmt::format("{:.0f} KiB", many / 1024);
    return fmt::format("{:.1f} MiB", many / (1 << 20));
}

std::string sized_about(std::uint64_t bytes) {
    if (bytes < 10'000'000) return "about " + sized(bytes);
    return fmt::format("about {:.0f} MiB", static_cast<double>(bytes) / (1 << 20));
}

std::string sizes(std::uint64_t smallest, std::uint64_t largest) {
    const std::string low = sized(smallest), high = sized(largest);
    if (low == high) return high;
    const std::size_t unit = low.find(' ');
    const bool same_unit = high.find(low.substr(unit)) != high.npos; // also "1 to 8 bytes"
    return fmt::format("{} to {}", same_unit ? low.substr(0, unit) : low, high);
}

// 9.96 is "10" as 10.4 is.
std::string percent(double x) { return with_commas(x, std::abs(x) < 9.95 ? 1 : 0); }

std::string percents(interval of) {
    return of.high >= most_percent && of.low >= least_shown
               ? fmt::format("at least {} %", percent(of.low))
               : ends(of);
}

bool is_unknown(interval gained) {
    return gained.low > -least_shown && gained.low < least_shown && gained.high >= most_percent;
}

std::string change(interval gained) {
    if (is_unknown(gained)) return "less by an unknown share";
    return change_in(gained, percents);
}

std::string change_of_peak(interval gained) { return change_in(gained, ends); }

std::string change_of_region(interval saved_percent) {
    const bool more = saved_percent.low < -least_shown;
    const bool less = saved_percent.high > least_shown;
    const bool is_known = saved_percent.low > least_shown || saved_percent.high < -least_shown;
    if (more == less || is_known) return change_of_peak(saved_percent);
    return more ? fmt::format("up to {} % more", percent(-saved_percent.low))
                : fmt::format("up to {} % less", percent(saved_percent.high));
}

std::string memory(interval saved_percent) {
    if (saved_percent.low >= -least_shown && saved_percent.high <= least_shown) return "";
    return ", peak memory " + change_of_region(saved_percent);
}

} // namespace toft::lab
