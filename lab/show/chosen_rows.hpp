// SPDX-License-Identifier: MIT
#pragma once

#include "result/result.hpp"
#include "run/settings.hpp"

#include <set>
#include <string>

namespace toft::lab {

// Which rows a run was asked for, by its command line: what it lacks of these is missing, and what
// it lacks of the others was left out on purpose.
class chosen_rows {
  public:
    explicit chosen_rows(const bench_result &);

    // Whether it was asked for this row of an earlier result.
    bool take(const suite_result &, const row &) const;

  private:
    bool takes_suite(const std::string &name) const;
    bool takes_allocator(const std::string &name) const;

    const bench_result &result_;
    std::set<std::string> words_; // of the command line, before the program's
    settings chosen_;             // --full, --threads and --filter
};

} // namespace toft::lab
