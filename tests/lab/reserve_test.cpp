// SPDX-License-Identifier: MIT
// What reserving is told to gain follows from what the growths cost.
#include "planted_program.hpp"
#include "right_answers.hpp"

#include <doctest/doctest.h>

using namespace toft::lab;

namespace {

using way_to_grow = void (planted_program::*)(unsigned line, planted_program::object,
                                              std::uint64_t);

advice advice_for_text(way_to_grow grow, std::uint64_t first_bytes) {
    planted_program p;
    p.call("append", 3, [&] {
        const planted_program::object text = p.make(1, first_bytes);
        for (unsigned i = 1; i != 2000; ++i) {
            p.work(100);
            (p.*grow)(2, text, first_bytes + i * 32);
        }
        p.free(4, text);
    });
    const advice_report report = advise({p.recorded()}, p.symbols());
    REQUIRE(!report.lines.empty());
    REQUIRE(report.lines.front().what == remedy::reserve);
    return report.lines.front();
}

} // namespace

TEST_CASE("growth in place copies nothing, and growth by whole pages little") {
    const advice moved = advice_for_text(&planted_program::resize, 32);
    const advice in_place = advice_for_text(&planted_program::resize_in_place, 32);
    const advice by_pages = advice_for_text(&planted_program::resize, 1 << 20);
    CHECK(moved.growths == in_place.growths);
    CHECK(in_place.cpu_percent.high < 20);
    CHECK(moved.cpu_percent.high > 3 * in_place.cpu_percent.high);
    CHECK(by_pages.cpu_percent.high < moved.cpu_percent.high);
}
