// SPDX-License-Identifier: MIT
#include "differences.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using nlohmann::json;

namespace toft::lab {
namespace {

struct circumstance {
    const char *group, *key, *words;
};

constexpr circumstance circumstances_told[] = {
    {"machine", "cpu", "the processor"},
    {"machine", "cpus", "the number of CPUs"},
    {"machine", "hypervisor", "the hypervisor"},
    {"machine", "kernel", "the kernel"},
    {"machine", "system", "the system"},
    {"machine", "huge_pages", "the setting of huge pages"},
    {"machine", "huge_pages_defrag", "huge pages' defrag"},
    {"machine", "frequency_governor", "the frequency's governor"},
    {"build", "compiler", "the compiler"},
    {"build", "flags", "the compiler's flags"},
};

std::string words_of(const json &value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string describe(const std::string &words, const json &was, const json &is) {
    return fmt::format("{} differs: {} then, {} now.", words, words_of(was), words_of(is));
}

// Real hardware never says the same twice.
bool frequency_differs(double was, double is) {
    return was > 0 && is > 0 && std::abs(was - is) > .02 * std::max(was, is);
}

std::string version_of(const json &result, const std::string &allocator) {
    for (const json &a : result.at("allocators"))
        if (a.at("name") == allocator) return a.at("version");
    return {};
}

} // namespace

std::vector<std::string> differences_of(const json &old_result, const json &new_result) {
    std::vector<std::string> found;
    for (const circumstance &c : circumstances_told) {
        const json &was = old_result.at(c.group).at(c.key);
        const json &is = new_result.at(c.group).at(c.key);
        if (was != is) found.push_back(describe(c.words, was, is));
    }
    const json &was = old_result.at("machine").at("frequency_mhz");
    const json &is = new_result.at("machine").at("frequency_mhz");
    if (frequency_differs(was, is)) found.push_back(describe("the frequency (MHz)", was, is));
    for (const json &a : new_result.at("allocators")) {
        const std::string name = a.at("name");
        const std::string before = version_of(old_result, name);
        if (!before.empty() && before != a.at("version"))
            found.push_back(describe(name, before, a.at("version")));
    }
    if (old_result.at("full") != new_result.at("full"))
        found.push_back("one of the two runs was --full: sizes differ.");
    return found;
}

} // namespace toft::lab
