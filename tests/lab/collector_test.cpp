// SPDX-License-Identifier: MIT
// What a garbage collector frees dies when that runs, so no region may be advised for it.
#include "planted_program.hpp"

#include "advice/advice.hpp"

#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace toft::lab;

namespace {

// An interpreter whose objects are freed all together, 100 at a time, by what one function calls.
template <class Collect>
advice_report interpreted(Collect collect) {
    planted_program p;
    for (int script = 0; script != 20; ++script)
        p.call("interpret", 3, [&] {
            std::vector<planted_program::object> unused;
            for (int i = 1; i <= 500; ++i) {
                const bool full = unused.size() == 100 || i == 500;
                p.call("new_string", 4, [&] {
                    p.call("vm_reallocate", 5, [&] {
                        unused.push_back(p.make(1, 48));
                        if (full) collect(p, unused);
                    });
                });
            }
        });
    return advise({p.recorded()}, p.symbols());
}

void free_all(planted_program &p, std::vector<planted_program::object> &all) {
    p.call("free_string", 7, [&] { free_all(p, 1, all); });
}

bool is_left_to(const advice_report &report, const std::string &collector) {
    for (const advice &a : report.lines)
        if (a.what != remedy::leave) return false;
    return !report.lines.empty() && report.lines[0].why.starts_with(collector + " ");
}

} // namespace

TEST_CASE("objects that a collector frees are left to it") {
    const advice_report named = interpreted([](planted_program &p, auto &unused) {
        p.call("vm_gc_run", 6, [&] { free_all(p, unused); });
    });
    CHECK(is_left_to(named, "vm_gc_run (planted.c)"));
    // Whatever its name is, it is called by what calls malloc.
    const advice_report nameless = interpreted([](planted_program &p, auto &unused) {
        p.call("look_for_unused", 6, [&] { free_all(p, unused); });
    });
    CHECK(is_left_to(nameless, "look_for_unused (planted.c)"));
}

TEST_CASE("what the caller of a wrapper of malloc frees is left to no collector") {
    planted_program p;
    for (int script = 0; script != 20; ++script)
        p.call("interpret", 3, [&] {
            std::vector<planted_program::object> unused;
            for (int i = 0; i != 500; ++i)
                p.call("vm_reallocate", 5, [&] { unused.push_back(p.make(1, 48)); });
            p.call("vm_reallocate", 6, [&] {
                for (const planted_program::object o : unused) p.free(2, o);
            });
        });
    const advice_report report = advise({p.recorded()}, p.symbols());
    REQUIRE(!report.lines.empty());
    CHECK(report.lines[0].what == remedy::arena);
    CHECK(report.lines[0].scope.function == "interpret");
}
