// SPDX-License-Identifier: MIT
#include "differences.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace toft::lab {
namespace {

template <class Value>
void tell(std::vector<std::string> &found, const char *words, const Value &was, const Value &is) {
    if (was == is) return;
    const auto shown = [](const Value &value) {
        const std::string text = fmt::format("{}", value);
        return text.empty() ? std::string("none") : text;
    };
    found.push_back(fmt::format("{} differs: {} then, {} now.", words, shown(was), shown(is)));
}

void compare_machines(std::vector<std::string> &found, const machine_facts &was,
                      const machine_facts &is) {
    tell(found, "the processor", was.cpu, is.cpu);
    tell(found, "the number of CPUs", was.cpus, is.cpus);
    tell(found, "the hypervisor", was.hypervisor, is.hypervisor);
    tell(found, "the kernel", was.kernel, is.kernel);
    tell(found, "the system", was.system, is.system);
    tell(found, "the setting of huge pages", was.huge_pages, is.huge_pages);
    tell(found, "huge pages' defrag", was.huge_pages_defrag, is.huge_pages_defrag);
    tell(found, "the frequency's governor", was.frequency_governor, is.frequency_governor);
}

// Real hardware never says the same twice.
bool frequency_differs(double was, double is) {
    return was > 0 && is > 0 && std::abs(was - is) > .02 * std::max(was, is);
}

} // namespace

std::vector<std::string> differences_of(const bench_result &old_result,
                                        const bench_result &new_result) {
    std::vector<std::string> found;
    compare_machines(found, old_result.machine, new_result.machine);
    tell(found, "the compiler", old_result.build.compiler, new_result.build.compiler);
    tell(found, "the compiler's flags", old_result.build.flags, new_result.build.flags);
    const double was = old_result.machine.frequency_mhz, is = new_result.machine.frequency_mhz;
    if (frequency_differs(was, is)) tell(found, "the frequency (MHz)", was, is);
    for (const allocator &a : new_result.allocators) {
        const std::string before = old_result.version_of_allocator(a.name);
        if (!before.empty()) tell(found, a.name.c_str(), before, a.version);
    }
    tell(found, "the allocators' environment",
         fmt::format("{}", fmt::join(old_result.environment, " ")),
         fmt::format("{}", fmt::join(new_result.environment, " ")));
    if (old_result.full != new_result.full)
        found.push_back("one of the two runs was --full: sizes differ.");
    return found;
}

} // namespace toft::lab
