// SPDX-License-Identifier: MIT
#pragma once

#include "selection.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

// What the tables of a suite show, declared column by column; show/suite_tables.hpp prints them.
namespace toft::lab {

enum class quantity {
    // of the timings that the column selects
    nanoseconds,       // CPU time of an operation
    wall_nanoseconds,  // wall time of an operation
    per_microsecond,   // operations in a microsecond of CPU time
    milliseconds,      // CPU time of them all
    wall_milliseconds, // wall time of them all
    spread,            // of the CPU time
    ratio,             // the row's CPU time divided by its reference's
    gain,              // the reference's CPU time divided by the row's
    gain_in_words,     // how much faster than the reference; none where that is within noise
    // of the whole process
    allocator, // the name of its malloc
    peak_mebibytes,
    page_faults,          // minor and major
    process_milliseconds, // CPU time, its exit included
    figure,               // one that only some subjects have; see table_column::name
    figure_ratio,         // such a one, divided by another of the counted run
    // of the run under the heap counter
    heap_allocations,
    heap_deallocations,
    heap_bytes,
    heap_kibibytes,
    chunks,
};

// A reference that is the row of a malloc: of those that aren't Toft's, the one that takes least
// time.
inline constexpr const char *fastest_other_malloc = "the fastest malloc that isn't Toft's";

struct table_column {
    std::string header;
    quantity shows;
    selection of = {};
    std::string group = {};  // neighbours with the same group get one header above
    bool marks_best = false; // the lowest gets an asterisk
    // For a ratio or a gain: the subject that is the reference. Empty: the row's own baseline (see
    // subject::baseline), or else the row that takes the least time.
    std::string reference = {};
    // For a figure: its name in a measurement, a factor, and what is written behind the number. For
    // a ratio of figures: also the name of the one that it is divided by.
    std::string name = {};
    std::string divided_by = {};
    double scale = 1;
    std::string unit = {};
    // Where the column decides who won a case, and its quantity is a time: what that comparison is
    // called in the conclusion, such as "first round". A conclusion tells no other column's leads.
    std::string contest = {};
};

inline table_column decides(table_column c, std::string contest) {
    c.contest = std::move(contest);
    return c;
}

// What becomes a line of the table.
enum class table_lines {
    rows_of_a_case,       // a table for each case; a line for each of its rows
    subjects,             // one table; a line for each subject, the columns once for each case
    subjects_once,        // as rows_of_a_case, with one line for all rows of a subject
    fastest_malloc_of_it, // one table; a line for each case, with the figures of its fastest malloc
};

struct suite_table {
    std::string heading;                 // {size} and {case} stand for those of the suite
    std::vector<std::string> cases = {}; // that it shows; empty: all of the suite's
    table_lines lines = table_lines::rows_of_a_case;
    std::vector<table_column> columns = {}; // after the first, which says what the line is of
    std::string note = {};                  // below the table
    std::string version_of = {};            // the subject whose version the note ends with
};

inline bool shows_case(const suite_table &t, const std::string &name) {
    return t.cases.empty() || std::find(t.cases.begin(), t.cases.end(), name) != t.cases.end();
}

} // namespace toft::lab
