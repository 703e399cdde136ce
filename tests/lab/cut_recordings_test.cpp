// SPDX-License-Identifier: MIT
// Advice from recordings without an end: what was alive there may have lived on, or not.
#include "planted_program.hpp"
#include "right_answers.hpp"

#include <doctest/doctest.h>
#include <vector>

using namespace toft::lab;

TEST_CASE("planted programs: what was alive where a recording was cut may have died later") {
    planted_program p;
    for (int i = 0; i != 1500; ++i) p.call("handle", 3, [&] { p.make(2, 56); });
    recording r = p.recorded();
    CHECK(advise({r}, p.symbols()).lines.at(0).what == remedy::arena);
    r.incomplete = "the process was killed";
    const advice_report report = advise({r}, p.symbols());
    CHECK(has_remark(report, "before it says what CPU time the program took"));
    const advice &cut = report.lines.at(0);
    CHECK(cut.what == remedy::leave);
    CHECK(cut.sketch.empty());
    CHECK(cut.why.find("has no end") != std::string::npos);
}

TEST_CASE(
    "planted programs: what was alive in a call that a cut has left open hasn't outlived it") {
    planted_program p;
    recording cut;
    planted_program::object kept = 0;
    const auto serve = [&](bool is_last, bool escapes) {
        p.call("serve", 10, [&] {
            std::vector<planted_program::object> parts;
            for (int i = 0; i != 40; ++i) parts.push_back(p.make(5, 48));
            if (is_last) cut = p.recorded();
            if (escapes) kept = parts.back(), parts.pop_back();
            for (const planted_program::object part : parts) p.free(9, part);
        });
    };
    for (int i = 0; i != 1000; ++i) serve(i == 999, false);
    cut.incomplete = "the process was killed";
    const advice a = advise({cut}, p.symbols()).lines.at(0);
    CHECK_MESSAGE(a.what == remedy::arena, words_of(a));
    CHECK(a.scope.function == "serve");
    CHECK(a.objects == 40'000);
    CHECK(a.never_freed == 0);
    serve(false, true);
    p.work(1000);
    serve(true, false);
    cut.incomplete = "the process was killed";
    const advice escaped = advise({cut}, p.symbols()).lines.at(0); // one was alive outside
    CHECK_MESSAGE(escaped.what == remedy::leave, words_of(escaped));
    p.free(20, kept);
}
