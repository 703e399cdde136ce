// SPDX-License-Identifier: MIT
#include "made_runs.hpp"

#include "result/verdict.hpp"
#include "rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

namespace toft::lab {
namespace {

using generator = std::mt19937;

double near_one(double how_near, generator &random) {
    return how_near == 0 ? 1 : std::exp(std::normal_distribution<double>(0, how_near)(random));
}

row make_row(const made_run &run, double ns, double scatter, generator &random) {
    std::vector<std::uint64_t> times;
    for (unsigned p = 0; p != run.processes; ++p) {
        double time = ns * near_one(scatter, random);
        if (std::bernoulli_distribution(run.interrupts)(random))
            time *= std::uniform_real_distribution<double>(1, 1.33)(random);
        times.push_back(static_cast<std::uint64_t>(time));
    }
    return row_of(std::move(times));
}

} // namespace

bench_result result_of(const made_run &run) {
    constexpr std::array names = {"one", "two", "three", "four", "five", "six"};
    generator random(run.seed), same_in_all_runs(1);
    bench_result result;
    result.allocators = {{"glibc", "", "2.36", ""}};
    suite_result s;
    s.name = "made";
    s.size = 100;
    for (unsigned c = 0; c != run.cases; ++c) {
        s.cases.push_back({names.at(c), names.at(c)});
        const double mood = run.mood * near_one(run.mood_of_cases, random);
        for (unsigned i = 0; i != run.ours + run.controls; ++i) {
            const bool is_ours = i < run.ours;
            double ns = 1e6 * (i + 1) * mood * near_one(run.mood_of_rows, random);
            if (is_ours) ns *= run.all_of_ours;
            if (i == 3 && c + 1 == std::min(run.cases, 2U)) ns *= run.slowed;
            const double scatter = run.scatter * near_one(run.unlike, same_in_all_runs);
            row r = make_row(run, ns, scatter, random);
            r.case_name = names.at(c);
            r.subject = (is_ours ? "row " : "control ") + std::to_string(i);
            r.is_toft = is_ours;
            judge(r);
            s.rows.push_back(std::move(r));
        }
    }
    result.suites.push_back(std::move(s));
    return result;
}

} // namespace toft::lab
