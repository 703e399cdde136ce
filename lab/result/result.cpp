// SPDX-License-Identifier: MIT
#include "result.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace toft::lab {

const row *suite_result::find(const std::string &case_name, const std::string &subject,
                              const std::string &allocator) const {
    const auto found = std::find_if(rows.begin(), rows.end(), [&](const row &r) {
        return r.case_name == case_name && r.subject == subject && r.allocator == allocator;
    });
    return found == rows.end() || found->samples.empty() ? nullptr : &*found;
}

std::vector<const row *> suite_result::rows_of(const std::string &case_name) const {
    std::vector<const row *> chosen;
    for (const row &r : rows)
        if (r.case_name == case_name) chosen.push_back(&r);
    return chosen;
}

suite_result result_of(const suite &of, std::uint64_t size) {
    suite_result s;
    s.name = of.name;
    s.summary = of.summary;
    s.size = size;
    s.size_unit = of.size.unit;
    s.cases = of.cases;
    for (bench_case &c : s.cases)
        if (c.family.empty()) c.family = c.name;
    return s;
}

std::string title_of_case(const suite_result &s, const std::string &case_name) {
    return s.cases.size() == 1 ? s.name : fmt::format("{} {}", s.name, case_name);
}

const suite_result *bench_result::find(const std::string &suite_name) const {
    const auto found = std::find_if(suites.begin(), suites.end(),
                                    [&](const suite_result &s) { return s.name == suite_name; });
    return found == suites.end() ? nullptr : &*found;
}

std::string bench_result::version_of_allocator(const std::string &name) const {
    for (const allocator &a : allocators)
        if (a.name == name) return a.version;
    return {};
}

bool bench_result::has_problems() const {
    for (const suite_result &s : suites)
        for (const row &r : s.rows)
            if (r.judged == verdict::failed || r.judged == verdict::elided) return true;
    return false;
}

} // namespace toft::lab
