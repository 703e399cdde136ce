// SPDX-License-Identifier: MIT
#include "choices.hpp"

#include "printer.hpp"

#include <fmt/format.h>

namespace toft::lab {

void print_choices(const std::vector<const suite *> &suites, const std::vector<allocator> &known) {
    printer out(stdout);
    for (const suite *shown : suites) {
        const suite &s = *shown;
        out.heading(fmt::format("{}: {}{}", s.name, s.summary,
                                s.only_by_name ? " (measured only when it is named)" : ""));
        out.text(fmt::format("  --size: {}, {} to {}; {}, or {} with --full", s.size.unit,
                             s.size.smallest, s.size.largest, s.size.quick, s.size.full));
        for (const bench_case &c : s.cases)
            fmt::print("  case {}: {}{}{}\n", c.name, c.title, c.only_full ? ", with --full" : "",
                       c.missing.empty() ? "" : fmt::format(" ({})", c.missing));
        for (const subject &one : s.subjects)
            fmt::print("  {}{}{}{}\n", one.name, one.by_allocator ? ", under each allocator" : "",
                       one.setting.empty() ? "" : ": with " + one.setting,
                       one.missing.empty() ? "" : fmt::format(" ({})", one.missing));
    }
    out.heading("allocators");
    for (const allocator &a : known)
        fmt::print("  {} {}\n", a.name,
                   a.present() ? a.version
                               : fmt::format("(not found; package {} brings it)", a.package));
}

} // namespace toft::lab
