// SPDX-License-Identifier: MIT
// How often `toft try` says of identical programs that they differ. It stops when it knows enough,
// which is when the noise happens to look small: so the whole trial is simulated, with its stops.
#include "run/target.hpp"
#include "run/trial_ratios.hpp"
#include "run/turns.hpp"

#include <cmath>
#include <doctest/doctest.h>
#include <numeric>
#include <random>
#include <vector>

using namespace toft::lab;

namespace {

constexpr double precision = .03; // as toft try has it

struct simulated {
    unsigned seed = 1;
    std::size_t others = 1; // mallocs besides the first
    double scatter = .02;   // of a run's time: its standard deviation, as a share
    double interrupts = 0;  // the share of runs that take up to a third longer
    unsigned most_rounds = 80;
};

class simulated_trial {
  public:
    explicit simulated_trial(const simulated &of)
        : of_(of),
          random_(of.seed),
          noise_(0, of.scatter) {
        suite_.rows.resize(of.others + 1);
    }

    bool says_that_any_differs() {
        for (row &r : suite_.rows) r.samples.clear();
        for (unsigned round = 0; round != of_.most_rounds; ++round) {
            if (is_time_to_look(round) && are_known(suite_, clock_kind::wall, precision)) break;
            for (row &r : suite_.rows) r.samples.push_back(run());
        }
        for (std::size_t i = 1; i != suite_.rows.size(); ++i) {
            const paired_ratio known = ratio_to_first(suite_, suite_.rows[i], clock_kind::wall);
            if (known.is_less() || known.is_more()) return true;
        }
        return false;
    }

    std::size_t rounds() const { return suite_.rows.front().samples.size(); }

  private:
    measurement run() {
        double ns = 1e7 * std::exp(noise_(random_));
        if (chance_(random_) < of_.interrupts) ns *= 1 + chance_(random_) / 3;
        measurement m;
        const auto whole = static_cast<std::uint64_t>(ns);
        m.phases.push_back({run_phase, 1, 1, 0, {whole, whole, 0, 0, {}}});
        return m;
    }

    simulated of_;
    std::mt19937_64 random_;
    std::normal_distribution<double> noise_;
    std::uniform_real_distribution<double> chance_{0, 1};
    suite_result suite_;
};

// The share of trials of identical programs that are said to differ.
double share_misjudged(const simulated &of) {
    constexpr int trials = 2000;
    simulated_trial trial(of);
    int misjudged = 0;
    for (int i = 0; i != trials; ++i) misjudged += trial.says_that_any_differs() ? 1 : 0;
    return static_cast<double>(misjudged) / trials;
}

} // namespace

TEST_CASE("toft try looks after 5 rounds, and whenever they have doubled") {
    std::vector<unsigned> looks;
    for (unsigned rounds = 0; rounds != 100; ++rounds)
        if (is_time_to_look(rounds)) looks.push_back(rounds);
    CHECK(looks == std::vector<unsigned>{5, 10, 20, 40, 80});
}

TEST_CASE("toft try: identical programs are said to differ in one of twenty trials at most") {
    for (const double scatter : {.005, .01, .02, .03, .04, .05, .08})
        for (const double interrupts : {0., .05})
            for (const std::size_t others : {1U, 5U}) {
                CAPTURE(scatter);
                CAPTURE(interrupts);
                CAPTURE(others);
                CHECK(share_misjudged(
                          {.others = others, .scatter = scatter, .interrupts = interrupts}) <=
                      .055);
            }
}

TEST_CASE("toft try: five rounds of a steady program are enough") {
    simulated_trial steady({.scatter = .001});
    steady.says_that_any_differs();
    CHECK(steady.rounds() == 5);
}

TEST_CASE("rounds: each is the first, and after each of its neighbours, as often as the others") {
    for (const std::size_t many : {std::size_t{1}, std::size_t{4}, std::size_t{5}}) {
        CAPTURE(many);
        std::vector<unsigned> first(many), after_next(many);
        for (unsigned round = 0; round != 2 * many; ++round) {
            std::vector<std::size_t> all(many);
            std::iota(all.begin(), all.end(), std::size_t{0});
            put_in_turn(all, round);
            ++first[all.front()];
            for (std::size_t i = 1; i < many; ++i)
                if (all[i - 1] == (all[i] + 1) % many) ++after_next[all[i]];
        }
        for (const unsigned times : first) CHECK(times == 2);
        for (const unsigned times : after_next) CHECK(times == after_next.front());
    }
}
