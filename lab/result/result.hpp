// SPDX-License-Identifier: MIT
#pragma once

#include "circumstances.hpp"
#include "compared.hpp"
#include "row.hpp"
#include "subject/allocator.hpp"
#include "subject/suite.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What a run of the lab has measured, and all that a reader of it must know. The result file is
// this, field by field (result_json.hpp); it is read back as this.
namespace toft::lab {

struct suite_result {
    std::string name;
    std::string summary;
    std::string conclusion; // who won and by how much
    std::uint64_t size = 0;
    std::string size_unit;
    std::vector<bench_case> cases; // all of the suite's; those without rows weren't measured
    std::vector<row> rows;         // in the order of cases, and of subjects in each

    // Null when there is no such row, or when it has no figures to compare with.
    const row *find(const std::string &case_name, const std::string &subject,
                    const std::string &allocator = "glibc") const;
    std::vector<const row *> rows_of(const std::string &case_name) const;
};

// The result of a suite of that size, nothing measured yet.
suite_result result_of(const suite &, std::uint64_t size);

// "arena 32", or only the suite's name where that has one case.
std::string title_of_case(const suite_result &, const std::string &case_name);

// A subject or an allocator that wasn't measured.
struct omission {
    std::string what;
    std::string why;
};

struct bench_result {
    std::string started; // UTC, ISO 8601
    std::vector<std::string> command_line;
    double seconds = 0;       // that the measurements took
    bool full = false;        // full sizes and every case
    bool interrupted = false; // what is missing was not measured any more
    std::vector<std::string> warnings;
    machine_facts machine;
    load_facts load;
    build_facts build;
    std::vector<allocator> allocators;    // chosen, those that this machine lacks included
    std::vector<std::string> environment; // "VAR=VALUE" of those that some malloc reads
    std::vector<omission> left_out;
    std::vector<suite_result> suites;
    std::optional<comparison> compared; // with an earlier result

    const suite_result *find(const std::string &suite_name) const; // null: it has none

    // Empty where it has no such allocator.
    std::string version_of_allocator(const std::string &name) const;

    // Whether a row failed or was elided.
    bool has_problems() const;
};

} // namespace toft::lab
