// SPDX-License-Identifier: MIT
#include "suite_tables.hpp"

#include "cells.hpp"
#include "figure_tables.hpp"
#include "subject/allocator.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <set>

namespace toft::lab {
namespace {

// One suite, and what was measured of it.
struct place {
    const suite &of;
    const suite_result &result;
};

double median_ns(const row &r, const selection &of) {
    const std::vector<double> ns = nanoseconds_of_processes(r, of, clock_kind::cpu);
    return has_figures(r) && !ns.empty() ? summarise(ns).median
                                         : std::numeric_limits<double>::infinity();
}

// The row that takes the least time, of those for which the condition holds. Null when none has
// figures.
template <class Condition>
const row *fastest(const std::vector<const row *> &rows, const selection &of, Condition holds) {
    const row *best = nullptr;
    double least = std::numeric_limits<double>::infinity();
    for (const row *r : rows) {
        const double ns = holds(*r) ? median_ns(*r, of) : least;
        if (ns < least) best = r, least = ns;
    }
    return best;
}

const row *reference_of(const place &at, const row &r, const table_column &c) {
    if (c.reference == fastest_other_malloc)
        return fastest(at.result.rows_of(r.case_name), c.of, [](const row &x) {
            return x.by_allocator && is_foreign_allocator(x.allocator);
        });
    if (!c.reference.empty()) return at.result.find(r.case_name, c.reference);
    const subject *s = at.of.find_subject(r.subject);
    if (s && !s->baseline.empty()) return at.result.find(r.case_name, s->baseline);
    return fastest(at.result.rows_of(r.case_name), c.of, [](const row &x) { return x.competes; });
}

cell timed_cell(const row &r, const table_column &c, const row *reference) {
    switch (c.shows) {
    case quantity::nanoseconds:
        return per_operation_cell(r, c.of);
    case quantity::wall_nanoseconds:
        return per_operation_cell(r, c.of, clock_kind::wall);
    case quantity::per_microsecond:
        return per_microsecond_cell(r, c.of);
    case quantity::milliseconds:
        return milliseconds_cell(r, c.of);
    case quantity::wall_milliseconds:
        return milliseconds_cell(r, c.of, clock_kind::wall);
    case quantity::spread:
        return spread_cell(r, c.of);
    case quantity::ratio:
        return ratio_cell(r, reference, c.of);
    case quantity::gain_in_words:
        return gain_cell(r, reference, c.of);
    case quantity::gain:
        return reference ? ratio_cell(*reference, &r, c.of) : dash;
    default:
        return dash;
    }
}

cell figure_cell(const row &r, const table_column &c) {
    const std::optional<double> median = median_of(r, c.name);
    if (!median) return dash;
    const double scaled = *median * c.scale;
    return {with_commas(scaled, 0) + c.unit, {}, scaled};
}

cell figure_ratio_cell(const row &r, const table_column &c) {
    const std::optional<double> median = median_of(r, c.name);
    if (!median || !r.counted) return dash;
    const auto found = r.counted->figures.find(c.divided_by);
    if (found == r.counted->figures.end() || found->second <= 0) return dash;
    const double ratio = *median / found->second;
    return {fmt::format("{:.2f}", ratio), {}, ratio};
}

cell process_cell(const row &r, const table_column &c) {
    if (c.shows == quantity::allocator) return {r.allocator};
    if (!has_figures(r)) return dash;
    if (c.shows == quantity::peak_mebibytes) return peak_cell(r);
    if (c.shows == quantity::page_faults) return faults_cell(r);
    if (c.shows == quantity::process_milliseconds) {
        const double ms = median_of(r, &measurement::process_cpu_ns) * 1e-6;
        return in_competition(r, {with_commas(ms, 0), ms, ms});
    }
    return c.shows == quantity::figure_ratio ? figure_ratio_cell(r, c) : figure_cell(r, c);
}

cell counted_cell(const row &r, quantity shows) {
    if (!r.counted) return dash;
    const toft_heap_counts &heap = r.counted->heap;
    if (shows == quantity::heap_allocations) return count_cell(heap.allocations);
    if (shows == quantity::heap_deallocations) return count_cell(heap.deallocations);
    if (shows == quantity::heap_bytes) return count_cell(heap.bytes);
    if (shows == quantity::heap_kibibytes) return count_cell(heap.bytes / 1024);
    return r.counted->chunks ? count_cell(r.counted->chunks) : dash;
}

cell cell_of(const place &at, const row &r, const table_column &c) {
    if (c.shows >= quantity::heap_allocations) return counted_cell(r, c.shows);
    if (c.shows >= quantity::allocator) return process_cell(r, c);
    const bool relative = c.shows == quantity::ratio || c.shows == quantity::gain ||
                          c.shows == quantity::gain_in_words;
    cell shown = timed_cell(r, c, relative ? reference_of(at, r, c) : nullptr);
    if (!c.marks_best) shown.value.reset();
    return shown;
}

column column_of(const table_column &c) {
    return {.header = c.header,
            .group = c.group,
            .best = c.marks_best ? best_is::lowest : best_is::none};
}

// The cases that the table shows and of which something was measured.
std::vector<bench_case> cases_of(const place &at, const suite_table &t) {
    std::vector<bench_case> shown;
    for (const bench_case &c : at.of.cases) {
        if (shows_case(t, c.name) && !at.result.rows_of(c.name).empty()) shown.push_back(c);
    }
    return shown;
}

std::string header_of(const bench_case &c) { return c.header.empty() ? c.name : c.header; }

void replace(std::string &text, const std::string &part, const std::string &with) {
    if (const auto at = text.find(part); at != std::string::npos)
        text.replace(at, part.size(), with);
}

shown_table empty_table(const place &at, const suite_table &t, const bench_case *c,
                        std::vector<column> columns) {
    std::string heading = t.heading;
    const std::uint64_t size = at.result.size;
    replace(heading, "{size}", at.of.size_in_words ? at.of.size_in_words(size) : with_commas(size));
    replace(heading, "{case}", c ? c->title : "");
    return {std::move(heading), c ? c->name : "", table(std::move(columns)), {}};
}

shown_table rows_table(const place &at, const suite_table &t, const bench_case &c) {
    std::vector<column> columns = {{.header = ""}};
    for (const table_column &shown : t.columns) columns.push_back(column_of(shown));
    shown_table made = empty_table(at, t, &c, std::move(columns));
    std::set<std::string> done;
    for (const row *r : at.result.rows_of(c.name)) {
        const bool once = t.lines == table_lines::subjects_once;
        if (once && (!r->counted || !done.insert(r->subject).second)) continue;
        std::vector<cell> cells = {{once ? r->subject : r->title()}};
        for (const table_column &shown : t.columns) cells.push_back(cell_of(at, *r, shown));
        made.lines.add(std::move(cells));
        made.rows.push_back({r});
    }
    return made;
}

// One row of each title that is measured in any of the cases.
std::vector<const row *> one_of_each(const place &at, const std::vector<bench_case> &cases) {
    std::vector<const row *> found;
    std::set<std::string> titles;
    for (const bench_case &c : cases)
        for (const row *r : at.result.rows_of(c.name))
            if (titles.insert(r->title()).second) found.push_back(r);
    return found;
}

// A single column is headed by its case; of several, the case is the group.
shown_table subjects_table(const place &at, const suite_table &t,
                           const std::vector<bench_case> &cases) {
    std::vector<column> columns = {{.header = ""}};
    for (const bench_case &c : cases)
        for (const table_column &shown : t.columns) {
            columns.push_back(column_of(shown));
            (t.columns.size() == 1 ? columns.back().header : columns.back().group) = header_of(c);
        }
    shown_table made = empty_table(at, t, nullptr, std::move(columns));
    for (const row *like : one_of_each(at, cases)) {
        std::vector<cell> cells = {{like->title()}};
        std::vector<const row *> rows;
        for (const bench_case &c : cases) {
            const row *r = at.result.find(c.name, like->subject, like->allocator);
            if (r) rows.push_back(r);
            for (const table_column &shown : t.columns)
                cells.push_back(r ? cell_of(at, *r, shown) : dash);
        }
        made.lines.add(std::move(cells));
        made.rows.push_back(std::move(rows));
    }
    return made;
}

bool has_reference(const place &at, const suite_table &t, const bench_case &c) {
    return std::any_of(t.columns.begin(), t.columns.end(), [&](const table_column &shown) {
        const row *r = shown.reference.empty() ? nullptr : at.result.find(c.name, shown.reference);
        return r && has_figures(*r);
    });
}

shown_table fastest_mallocs(const place &at, const suite_table &t,
                            const std::vector<bench_case> &cases) {
    std::vector<column> columns = {{.header = ""}};
    for (const table_column &shown : t.columns) columns.push_back(column_of(shown));
    shown_table made = empty_table(at, t, nullptr, std::move(columns));
    for (const bench_case &c : cases) {
        const row *best = fastest(at.result.rows_of(c.name), t.columns.back().of,
                                  [](const row &r) { return r.by_allocator; });
        if (!best || !has_reference(at, t, c)) continue;
        std::vector<cell> cells = {{c.title}};
        for (const table_column &shown : t.columns) cells.push_back(cell_of(at, *best, shown));
        made.lines.add(std::move(cells));
        made.rows.push_back({best});
    }
    return made;
}

// The note, and after it the version of the subject that the table names, where that subject was
// measured.
std::string note_of(const place &at, const suite_table &t) {
    std::string note = t.note;
    for (const row &r : at.result.rows)
        if (r.subject == t.version_of && !r.samples.empty()) {
            note += fmt::format(" {}: {}.", r.subject, r.samples.front().version);
            break;
        }
    return note;
}

// The note stands below the last of them.
std::vector<shown_table> tables_of(const place &at, const suite_table &t) {
    const std::vector<bench_case> cases = cases_of(at, t);
    std::vector<shown_table> made;
    if (cases.empty()) return made;
    if (t.lines == table_lines::subjects)
        made.push_back(subjects_table(at, t, cases));
    else if (t.lines == table_lines::fastest_malloc_of_it)
        made.push_back(fastest_mallocs(at, t, cases));
    else
        for (const bench_case &c : cases) made.push_back(rows_table(at, t, c));
    made.back().note = note_of(at, t);
    return made;
}

} // namespace

std::vector<shown_table> tables_of(const suite &of, const suite_result &result) {
    if (of.tables.empty()) return figure_tables_of(result);
    std::vector<shown_table> all;
    for (const suite_table &t : of.tables)
        for (shown_table &made : tables_of(place{of, result}, t)) all.push_back(std::move(made));
    return all;
}

void print_suite(const suite &of, const suite_result &result, printer &out) {
    for (const shown_table &t : tables_of(of, result)) {
        if (!t.rows.empty()) {
            out.heading(t.heading);
            out.print(t.lines);
        }
        if (!t.note.empty()) out.text(t.note);
    }
    if (!of.note.empty()) out.text(of.note);
}

} // namespace toft::lab
