// SPDX-License-Identifier: MIT
#include "suite.hpp"

#include <algorithm>

namespace toft::lab {

bool subject::takes_part_in(const std::string &case_name) const {
    return cases.empty() || std::find(cases.begin(), cases.end(), case_name) != cases.end();
}

const subject *suite::find_subject(const std::string &subject_name) const {
    const auto found = std::find_if(subjects.begin(), subjects.end(),
                                    [&](const subject &s) { return s.name == subject_name; });
    return found == subjects.end() ? nullptr : &*found;
}

const bench_case *suite::find_case(const std::string &case_name) const {
    const auto found = std::find_if(cases.begin(), cases.end(),
                                    [&](const bench_case &c) { return c.name == case_name; });
    return found == cases.end() ? nullptr : &*found;
}

} // namespace toft::lab
