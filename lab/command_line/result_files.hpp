// SPDX-License-Identifier: MIT
#pragma once

#include "command.hpp"
#include "result/result.hpp"
#include "run/progress.hpp"
#include "show/output_file.hpp"
#include "show/printer.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

// What `toft bench` and `toft try` have in common: the files that a result goes to, the older one
// that it is compared with, and the exit status.
namespace toft::lab {

// A file to write, and how the user named it.
struct wanted_file {
    std::string name, path; // no path: not asked for
};

// Throws std::invalid_argument when two of them, or one and a file that is read, are the same.
void require_own_files(const std::vector<wanted_file> &, const std::vector<std::string> &inputs);

// Makes and writes what was asked for. When that fails, it gets a word on standard error, and false
// is returned: what was measured is still shown.
bool write_or_tell(std::optional<output_file> &, const std::function<std::string()> &make);

// Opens them, and reads the older result, before anything is measured, so that a mistake is told at
// once. Throws std::invalid_argument as require_own_files does and for a report that isn't built
// in, and as output_file and read_result do. --compare may name the file that --json replaces: it
// has been read by then.
class result_files {
  public:
    explicit result_files(const wanted_results &, const std::vector<std::string> &inputs = {});

    // Compares the result, when that was asked for, and writes it. A file that can't be written
    // gets a word on standard error: the tables are still shown. A run that was stopped before
    // anything was measured replaces no file, which may have an earlier run's figures.
    void take(bench_result &);

    // Prints the comparison, and says how the command ends.
    int finish(const bench_result &, printer &) const;

  private:
    const wanted_results &asked_;
    std::optional<bench_result> older_;
    std::optional<output_file> json_, html_;
    bool written_ = true;
};

// Notes when, where and under what load the work was done, and how long it took.
void measure(bench_result &, const std::vector<std::string> &command_line,
             const std::function<void(progress &)> &work);

// Prints it, and what it says to the bound, of which the exit status comes.
int tell_comparison(const comparison &, bool all, std::optional<double> bound_percent, printer &);

// Throws std::invalid_argument when it isn't built in.
void require_report();

} // namespace toft::lab
