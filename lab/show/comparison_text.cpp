// SPDX-License-Identifier: MIT
#include "comparison_text.hpp"

#include "result/result_json.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace toft::lab {
namespace {

std::string words_of(clock_kind clock) { return clock == clock_kind::cpu ? "CPU" : "wall"; }

std::string time_of(double ns) { return fmt::format("{:.2f}", ns); }

// "1.52 (1.47 to 1.60)"
std::string ratio_of(const compared_figure &f) {
    return fmt::format("{:.2f} ({:.2f} to {:.2f})", f.ratio, f.between.low, f.between.high);
}

void print_figures(const comparison &c, bool all, printer &out) {
    table t({{.header = ""},
             {.header = "phase"},
             {.header = "rounds"},
             {.header = "clock"},
             {.header = "old ns"},
             {.header = "new ns"},
             {.header = "ratio (99 %)"},
             {.header = ""}});
    bool any = false;
    for (const compared_figure &f : c.figures) {
        if (!all && f.called != change::faster && f.called != change::slower) continue;
        any = true;
        const bool unsure = f.called == change::unsure;
        t.add({{fmt::format("{} {}, {}", f.suite, f.case_name, f.row)},
               {f.phase},
               {to_string(f.rounds)},
               {words_of(f.clock)},
               {time_of(f.old_ns)},
               {time_of(f.new_ns)},
               {unsure ? "-" : ratio_of(f)},
               {unsure                     ? f.why
                : f.called == change::none ? ""
                                           : to_string(f.called)}});
    }
    if (!any) return;
    out.print(t);
    out.text("ns: for each operation. ratio: new ÷ old, after what all rows of the case share is "
             "taken off; in brackets, where it lies with 99 % confidence.");
}

// From the least to the most that the rows of a case went together, for each suite.
void print_shared(const comparison &c, printer &out) {
    std::map<std::string, std::vector<double>> by_suite;
    for (const compared_case &s : c.cases) by_suite[s.suite].push_back(s.ratio);
    for (auto &[suite, ratios] : by_suite) {
        const auto [least, most] = std::minmax_element(ratios.begin(), ratios.end());
        out.text(
            fmt::format("{}: all rows of a case together take {:.2f} to {:.2f} times what they "
                        "took: the machine, or the whole build.",
                        suite, *least, *most));
    }
}

void print_sum(const comparison &c, printer &out) {
    const auto count = [&](change which) {
        return std::count_if(c.figures.begin(), c.figures.end(),
                             [&](const compared_figure &f) { return f.called == which; });
    };
    const auto unsure = count(change::unsure);
    out.text(fmt::format("{} figures compared: {} slower, {} faster, {} within noise (CPU ±{:.0f} "
                         "%, wall ±{:.0f} %); {} can't be told.",
                         c.figures.size() - static_cast<std::size_t>(unsure), count(change::slower),
                         count(change::faster), count(change::none), c.cpu_margin * 100,
                         c.wall_margin * 100, unsure));
    if (!c.unmatched.empty())
        out.text(fmt::format("{} rows are in one of the files only.", c.unmatched.size()));
}

} // namespace

void print_comparison(const comparison &c, bool all, printer &out) {
    out.heading("Compared");
    for (const std::string &difference : c.differences) out.text("Warning: " + difference);
    print_figures(c, all, out);
    print_shared(c, out);
    print_sum(c, out);
}

} // namespace toft::lab
