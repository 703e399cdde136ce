// SPDX-License-Identifier: MIT
#include "conclusion.hpp"

#include "cells.hpp"
#include "lead.hpp"
#include "result/figures.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <functional>
#include <optional>
#include <set>

namespace toft::lab {
namespace {

struct entrant {
    const row *of;
    summary ns;

    bool is_noisy() const { return ns.spread > of->noisy_spread; }
};

struct contest {
    std::string title; // "arena 32, first round"
    entrant winner, loser;

    double lead() const { return loser.ns.median / winner.ns.median; }
    double spread() const { return std::max(winner.ns.spread, loser.ns.spread); }
    bool steady() const { return !winner.is_noisy() && !loser.is_noisy(); }
    bool has_too_few() const { return lab::has_too_few(winner.ns, loser.ns); }
    // Noisy sides are told apart only when every process of one beats every process of the other.
    bool is_apart() const { return steady() || is_always_faster(winner.ns, loser.ns); }
    bool within_noise() const {
        return has_too_few() || !is_apart() ||
               lead() < std::max(least_lead, 1 + (steady() ? 1 : 2) * spread());
    }
};

// Gives each row's values of the figure that a contest is about; none for a row without it.
using figure_of_row = std::function<std::vector<double>(const row &)>;

std::vector<entrant> entrants_of(const suite_result &s, const std::string &case_name,
                                 const figure_of_row &values_of) {
    std::vector<entrant> found;
    for (const row *r : s.rows_of(case_name)) {
        if (!r->competes || !has_figures(*r)) continue;
        const std::vector<double> values = values_of(*r);
        if (!values.empty()) found.push_back({r, summarise(values)});
    }
    std::sort(found.begin(), found.end(),
              [](const entrant &a, const entrant &b) { return a.ns.median < b.ns.median; });
    return found;
}

// The best entrant, and the best of the other side: of Toft where the best isn't, and the reverse.
std::optional<contest> decide(const std::vector<entrant> &all, bool by_sides, std::string title) {
    if (all.empty() || all.front().ns.median <= 0) return std::nullopt;
    const entrant &best = all.front();
    const auto other = std::find_if(all.begin() + 1, all.end(), [&](const entrant &e) {
        return !by_sides || e.of->is_toft != best.of->is_toft;
    });
    if (other == all.end()) return std::nullopt;
    return contest{std::move(title), best, *other};
}

bool has_both_sides(const suite_result &s) {
    std::set<bool> sides;
    for (const row &r : s.rows)
        if (r.competes && has_figures(r)) sides.insert(r.is_toft);
    return sides.size() == 2;
}

// A comparison of the rows of a case, before anything is known of them.
struct question {
    std::string words; // "first round"
    figure_of_row values_of;
};

// The figures that stand in the column: what a reader of the table divides by each other.
question question_of(const table_column &c) {
    return {c.contest, [&c](const row &r) {
                const bool by_wall =
                    c.shows == quantity::wall_nanoseconds || c.shows == quantity::wall_milliseconds;
                const bool shared_out =
                    c.shows == quantity::nanoseconds || c.shows == quantity::wall_nanoseconds;
                const clock_kind clock = by_wall ? clock_kind::wall : clock_kind::cpu;
                return shared_out ? nanoseconds_per_operation(r, c.of, clock)
                                  : nanoseconds_of_processes(r, c.of, clock);
            }};
}

// A suite that declares no tables has one of every figure: all that a row does in some rounds.
question question_of(which_rounds rounds) {
    return {rounds == which_rounds::first ? "first round" : "later rounds", [rounds](const row &r) {
                for (const figure &f : figures_of(r))
                    if (f.whole && f.rounds == rounds)
                        return nanoseconds_per_operation(r, f.of, clock_kind::cpu);
                return std::vector<double>();
            }};
}

std::vector<question> questions_of(const bench_case &c, const std::vector<suite_table> &tables) {
    std::vector<question> all;
    if (tables.empty())
        for (const which_rounds rounds : all_rounds) all.push_back(question_of(rounds));
    for (const suite_table &t : tables) {
        if (!shows_case(t, c.name)) continue;
        for (const table_column &shown : t.columns)
            if (!shown.contest.empty()) all.push_back(question_of(shown));
    }
    return all;
}

std::vector<contest> contests_of(const suite_result &s, const std::vector<suite_table> &tables) {
    std::vector<contest> all;
    const bool by_sides = has_both_sides(s);
    for (const bench_case &c : s.cases) {
        if (c.once) continue; // one process is too few to say who is faster
        for (const question &asked : questions_of(c, tables)) {
            auto decided = decide(entrants_of(s, c.name, asked.values_of), by_sides,
                                  fmt::format("{}, {}", title_of_case(s, c.name), asked.words));
            if (decided) all.push_back(std::move(*decided));
        }
    }
    return all;
}

std::string times(double lead) {
    return fmt::format("{:.{}f}", lead, lead < 1.095 ? 2 : lead < 9.95 ? 1 : 0);
}

// By how much, as far as the spread lets it be said; empty when it doesn't.
std::string describe_range(const std::vector<contest> &won) {
    std::vector<double> leads;
    for (const contest &c : won)
        if (c.steady()) leads.push_back(c.lead());
    if (leads.empty()) return {};
    const auto [least, most] = std::minmax_element(leads.begin(), leads.end());
    return fmt::format(
        "{}{}{} times as fast as the best of the others",
        leads.size() == won.size() ? ", " : fmt::format("; where steady ({}), ", leads.size()),
        times(*least), times(*least) == times(*most) ? "" : " to " + times(*most));
}

// The one subject that won all of these, or the side's name.
std::string name_of_winners(const std::vector<contest> &won, const std::string &side) {
    std::set<std::string> names;
    for (const contest &c : won) names.insert(c.winner.of->subject);
    return names.size() == 1 ? *names.begin() : side;
}

// Toft's strategies are behind their own malloc at times, which is no other's.
std::string name_of(const row &winner) {
    if (winner.is_toft || !winner.is_on_toft_malloc()) return winner.title();
    return fmt::format("{} by Toft's own malloc", winner.subject);
}

std::string describe_each(std::vector<contest> lost) {
    constexpr std::size_t most_named = 3;
    std::sort(lost.begin(), lost.end(),
              [](const contest &a, const contest &b) { return a.lead() > b.lead(); });
    std::vector<std::string> named;
    for (std::size_t i = 0; i != std::min(most_named, lost.size()); ++i)
        named.push_back(fmt::format("{} ({}{} times: {})", lost[i].title,
                                    lost[i].steady() ? "" : "~", times(lost[i].lead()),
                                    name_of(*lost[i].winner.of)));
    if (lost.size() > most_named)
        named.push_back(fmt::format("and {} more", lost.size() - most_named));
    return fmt::format("{}", fmt::join(named, "; "));
}

std::string describe_sides(const std::vector<contest> &won, const std::vector<contest> &lost,
                           std::size_t all) {
    std::string text;
    if (!won.empty())
        text = fmt::format("{} is ahead in {} of {} comparisons{}.", name_of_winners(won, "Toft"),
                           won.size(), all, describe_range(won));
    if (!lost.empty())
        text += fmt::format("{}Toft is behind in {} of {}: {}.", text.empty() ? "" : " ",
                            lost.size(), all, describe_each(lost));
    return text;
}

std::string describe_one_side(const std::vector<contest> &decided, std::size_t all) {
    return fmt::format("Ahead in {} of {} comparisons: {}.", decided.size(), all,
                       describe_each(decided));
}

// Rows that an interrupt came before: nothing is wrong with them.
std::string describe_unmeasured(const suite_result &s) {
    const auto unmeasured = std::count_if(s.rows.begin(), s.rows.end(), [](const row &r) {
        return r.samples.empty() && r.problem.empty();
    });
    if (unmeasured == 0) return {};
    return fmt::format(" {} of {} rows weren't measured.", unmeasured, s.rows.size());
}

// The rows without figures, which take part in no comparison.
std::string describe_broken(const suite_result &s) {
    std::size_t broken = 0;
    std::set<std::string> names;
    for (const row &r : s.rows) {
        if (r.judged != verdict::failed && r.judged != verdict::elided) continue;
        if (r.samples.empty() && r.problem.empty()) continue;
        ++broken;
        names.insert(r.title());
    }
    if (broken == 0) return describe_unmeasured(s);
    constexpr std::size_t most_named = 5;
    std::vector<std::string> named(names.begin(), names.end());
    const std::size_t more = named.size() - std::min(most_named, named.size());
    named.resize(named.size() - more);
    if (more != 0) named.push_back(fmt::format("{} more", more));
    return fmt::format(" {} of {} rows failed or were elided: {}.{}", broken, s.rows.size(),
                       fmt::join(named, ", "), describe_unmeasured(s));
}

} // namespace

std::string conclusion_of(const suite_result &s, const std::vector<suite_table> &tables) {
    const std::vector<contest> all = contests_of(s, tables);
    std::vector<contest> won, lost;
    for (const contest &c : all)
        if (!c.within_noise()) (c.winner.of->is_toft ? won : lost).push_back(c);
    const std::size_t undecided = all.size() - won.size() - lost.size();
    const auto too_few = static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [](const contest &c) { return c.has_too_few(); }));
    const std::string broken = describe_broken(s);
    if (all.empty()) return "Nothing to compare." + broken;
    if (too_few == all.size())
        return fmt::format("Nothing can be concluded from fewer than {} processes for each row.{}",
                           least_processes, broken);
    std::string text;
    if (undecided == all.size()) {
        text = "Nothing differs by more than noise, as far as so many processes tell.";
    } else if (has_both_sides(s)) {
        text = describe_sides(won, lost, all.size());
    } else {
        won.insert(won.end(), lost.begin(), lost.end());
        text = describe_one_side(won, all.size());
    }
    if (undecided != too_few && undecided != all.size())
        text += fmt::format(" {} within noise.", undecided - too_few);
    if (too_few != 0) text += fmt::format(" {} of too few processes.", too_few);
    return text + broken;
}

} // namespace toft::lab
