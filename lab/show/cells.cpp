// SPDX-License-Identifier: MIT
#include "cells.hpp"

#include "lead.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace toft::lab {
namespace {

// With a comma before each three digits that other ones stand before.
std::string grouped(std::string number) {
    const std::size_t first = number.starts_with('-') ? 1 : 0;
    for (std::size_t at = std::min(number.find('.'), number.size()); at > first + 3;)
        number.insert(at -= 3, 1, ',');
    return number;
}

int decimals_of(double value) { return value < 9.995 ? 2 : value < 99.95 ? 1 : 0; }

std::string three_digits(double value) { return with_commas(value, decimals_of(value)); }

// Competes with the value that is printed, so that two equal figures share the mark.
cell figure(double value) {
    const double shown = std::stod(fmt::format("{:.{}f}", value, decimals_of(value)));
    return {three_digits(value), shown, value};
}

// Why a figure isn't there; a row that nothing was measured of is left to the dash.
cell no_figure(const row &r) {
    const bool has_failed =
        r.judged == verdict::failed && !(r.samples.empty() && r.problem.empty());
    return has_failed ? cell{"failed"} : dash;
}

bool is_noisy(const row &r, const summary &of) { return of.spread > r.noisy_spread; }

cell median_figure(const row &r, const std::vector<double> &values, double scale = 1) {
    if (!has_figures(r)) return no_figure(r);
    if (values.empty()) return dash;
    const summary of = summarise(values);
    cell made = figure(of.median * scale);
    made.noisy = is_noisy(r, of);
    return in_competition(r, made);
}

} // namespace

bool has_figures(const row &r) {
    const bool means_something = r.judged != verdict::elided && r.judged != verdict::failed;
    return means_something && !r.samples.empty();
}

cell in_competition(const row &r, cell c) {
    if (!r.competes) c.value.reset();
    return c;
}

cell milliseconds_cell(const row &r, const selection &of, clock_kind clock) {
    return median_figure(r, nanoseconds_of_processes(r, of, clock), 1e-6);
}

cell per_operation_cell(const row &r, const selection &of, clock_kind clock) {
    return median_figure(r, nanoseconds_per_operation(r, of, clock));
}

cell per_microsecond_cell(const row &r, const selection &of) {
    const auto values = nanoseconds_per_operation(r, of, clock_kind::cpu);
    const summary known = summarise(values);
    if (!has_figures(r)) return no_figure(r);
    if (known.median <= 0) return dash;
    const double rate = 1e3 / known.median;
    return in_competition(r, {with_commas(rate, 0), rate, rate, is_noisy(r, known)});
}

cell spread_cell(const row &r, const selection &of) {
    const auto values = nanoseconds_of_processes(r, of, clock_kind::cpu);
    if (!has_figures(r) || values.size() < 2) return dash;
    const double percent = summarise(values).spread * 100;
    return {fmt::format("{:.0f}%", percent), {}, percent};
}

cell ratio_cell(const row &r, const row *reference, const selection &of) {
    if (!reference || !has_figures(r) || !has_figures(*reference)) return dash;
    const summary own = summarise(nanoseconds_of_processes(r, of, clock_kind::cpu));
    const summary other = summarise(nanoseconds_of_processes(*reference, of, clock_kind::cpu));
    if (own.median <= 0 || other.median <= 0) return dash;
    const bool noisy = is_noisy(r, own) || is_noisy(*reference, other);
    const double ratio = own.median / other.median;
    return {fmt::format("{}{}", noisy ? "~" : "", three_digits(ratio)), {}, ratio};
}

cell gain_cell(const row &r, const row *reference, const selection &of) {
    if (!reference || reference == &r || !has_figures(r) || !has_figures(*reference)) return dash;
    const summary own = summarise(nanoseconds_of_processes(r, of, clock_kind::cpu));
    const summary other = summarise(nanoseconds_of_processes(*reference, of, clock_kind::cpu));
    if (own.median <= 0 || other.median <= 0) return dash;
    if (has_too_few(own, other)) return dash;
    const bool faster = own.median < other.median;
    const summary &fast = faster ? own : other, &slow = faster ? other : own;
    const double lead = slow.median / fast.median;
    if (lead < least_lead || !is_always_faster(fast, slow)) return {"none"};
    return {(faster ? "" : "loses ") + three_digits(lead)};
}

cell count_cell(std::uint64_t n) { return {with_commas(n), {}, static_cast<double>(n)}; }

cell peak_cell(const row &r) {
    if (!has_figures(r)) return dash;
    const double bytes = median_of(r, &measurement::peak_bytes);
    return in_competition(r, {with_commas(bytes / (1 << 20), 1), bytes, bytes / (1 << 20)});
}

std::uint64_t page_faults_of(const row &r) {
    return whole_number(median_of(r, &measurement::minor_faults) +
                        median_of(r, &measurement::major_faults));
}

cell faults_cell(const row &r) {
    if (!has_figures(r)) return dash;
    const std::uint64_t faults = page_faults_of(r);
    const auto value = static_cast<double>(faults);
    return in_competition(r, {with_commas(faults), value, value});
}

std::uint64_t whole_number(double n) {
    constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
    return n < static_cast<double>(most) ? static_cast<std::uint64_t>(n) : most;
}

std::string with_commas(std::uint64_t n) { return grouped(std::to_string(n)); }

std::string with_commas(double n, int decimals) {
    return grouped(fmt::format("{:.{}f}", n, decimals));
}

std::string counted(std::uint64_t n, const char *thing) {
    return fmt::format("{} {}{}", with_commas(n), thing, n == 1 ? "" : "s");
}

} // namespace toft::lab
