// SPDX-License-Identifier: MIT
#include "chosen_rows.hpp"

#include "run/row_filter.hpp"
#include "subject/registry.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <vector>

namespace toft::lab {
namespace {

// "--threads 1" or "--threads=1,10": all of them, with commas between. Empty: it isn't there.
std::string value_of(const std::string &option, const std::vector<std::string> &words) {
    std::string values;
    for (std::size_t i = 0; i != words.size(); ++i) {
        std::string value;
        if (words[i] == option && i + 1 != words.size()) value = words[i + 1];
        if (words[i].starts_with(option + '=')) value = words[i].substr(option.size() + 1);
        if (!value.empty()) values += (values.empty() ? "" : ",") + value;
    }
    return values;
}

std::vector<unsigned> numbers_in(const std::string &list) {
    std::vector<unsigned> numbers;
    std::istringstream text(list);
    for (std::string number; std::getline(text, number, ',');)
        numbers.push_back(static_cast<unsigned>(std::strtoul(number.c_str(), nullptr, 10)));
    return numbers;
}

} // namespace

chosen_rows::chosen_rows(const bench_result &result) : result_(result) {
    std::vector<std::string> words = result.command_line;
    words.erase(std::find(words.begin(), words.end(), "--"), words.end());
    words_ = {words.begin(), words.end()};
    chosen_.full = result.full;
    chosen_.filter = value_of("--filter", words);
    chosen_.threads = numbers_in(value_of("--threads", words));
}

// Without a name, all suites are measured but those that must be named.
bool chosen_rows::takes_suite(const std::string &name) const {
    const auto is_named = [&](const auto &of) { return words_.contains(of.name); };
    const std::vector<suite> &all = all_suites();
    if (words_.contains(name) || result_.find(name)) return true;
    if (std::any_of(all.begin(), all.end(), is_named) ||
        std::any_of(result_.suites.begin(), result_.suites.end(), is_named))
        return false;
    return std::none_of(all.begin(), all.end(),
                        [&](const suite &s) { return s.name == name && s.only_by_name; });
}

// One that was asked for and isn't there is told among what is left out.
bool chosen_rows::takes_allocator(const std::string &name) const {
    return std::any_of(result_.allocators.begin(), result_.allocators.end(),
                       [&](const allocator &a) { return a.name == name; }) ||
           std::any_of(result_.left_out.begin(), result_.left_out.end(),
                       [&](const omission &o) { return o.what == name; });
}

bool chosen_rows::take(const suite_result &s, const row &r) const {
    const auto of_row = std::find_if(s.cases.begin(), s.cases.end(),
                                     [&](const bench_case &c) { return c.name == r.case_name; });
    return takes_suite(s.name) && (of_row == s.cases.end() || chosen_.takes(*of_row)) &&
           (!r.by_allocator || takes_allocator(r.allocator)) &&
           contains_ignoring_case(path_of(s.name, r), chosen_.filter);
}

} // namespace toft::lab
