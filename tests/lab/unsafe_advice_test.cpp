// SPDX-License-Identifier: MIT
// What must not go into an arena, or must not be done with one, and how advice says so.
#include "advice_said.hpp"
#include "planted_program.hpp"
#include "right_answers.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <string>
#include <vector>

using namespace toft::lab;

namespace {

using object = planted_program::object;

advice_report advice_for(const planted_program &p) { return advise({p.recorded()}, p.symbols()); }

// Threads make nodes on four lines, which die at their end, and messages, all by xmalloc.
advice_report advice_for_threads(bool main_frees_messages) {
    planted_program p;
    for (std::uint32_t thread = 1; thread != 5; ++thread) {
        std::vector<object> nodes, messages;
        p.on_thread(thread);
        for (unsigned i = 0; i != 2000; ++i)
            p.call("make_" + std::to_string(i % 4), 3,
                   [&] { p.call("xmalloc", 4, [&] { nodes.push_back(p.make(5, 32)); }); });
        for (unsigned i = 0; i != 200; ++i)
            p.call("make_message", 6,
                   [&] { p.call("xmalloc", 7, [&] { messages.push_back(p.make(5, 32)); }); });
        if (main_frees_messages) p.on_thread(0);
        p.call("read_messages", 8, [&] { free_all(p, 9, messages); });
        p.on_thread(thread);
        p.leave(); // the thread's own destructors come last
        p.enter_first("drop");
        free_all(p, 10, nodes);
    }
    return advice_for(p);
}

} // namespace

TEST_CASE("unsafe advice: what another thread frees outlives the arena of its thread's life") {
    const advice_report kept = advice_for_threads(false);
    CAPTURE(said_of(kept));
    REQUIRE(kept.lines.at(0).what == remedy::arena);
    CHECK(kept.lines[0].scope.function.empty());
    CHECK(kept.lines[0].by_thread);
    CHECK(has_hook(kept.lines[0]));
    const advice_report handed_on = advice_for_threads(true);
    CAPTURE(said_of(handed_on));
    REQUIRE(handed_on.lines.at(0).what == remedy::arena);
    CHECK_FALSE(has_hook(handed_on.lines[0])); // which would take the messages too
    CHECK(handed_on.lines[0].escaping == 4 * 200);
    CHECK(contains(said_of(handed_on), "800 objects made there live longer: keep them out of it."));
}

TEST_CASE("unsafe advice: what outlives a round is named beside a buffer on the stack too") {
    const auto best_for = [](unsigned rounds_of_cached) {
        planted_program p;
        std::vector<object> cached(rounds_of_cached);
        for (unsigned round = 0; round != 3000; ++round) {
            object scratch = 0;
            p.call("scratch", 3, [&] { p.call("make", 4, [&] { scratch = p.make(5, 48); }); });
            object &slot = cached[round % rounds_of_cached];
            if (round >= rounds_of_cached) p.free(6, slot);
            p.call("cached", 7, [&] { p.call("make", 8, [&] { slot = p.make(5, 16); }); });
            for (const std::uint64_t bytes : {100, 200}) p.resize(9, slot, bytes);
            p.free(10, scratch);
        }
        free_all(p, 11, cached);
        return advice_for(p);
    };
    const advice_report report = best_for(3);
    CAPTURE(said_of(report));
    const auto buffer = std::ranges::find(report.lines, remedy::inline_buffer, &advice::what);
    REQUIRE(buffer != report.lines.end());
    CHECK(buffer->escaping == 3000);
}

TEST_CASE("unsafe advice: what the C library resizes stays malloc's") {
    const auto best_for = [](const std::string &resizer) {
        planted_program p;
        for (unsigned request = 0; request != 50; ++request)
            p.call("serve", 3, [&] {
                std::vector<object> lines;
                for (unsigned i = 0; i != 90; ++i) lines.push_back(p.make(5, 64));
                p.call(resizer, 6, [&] { p.resize(7, lines.front(), 128); });
                free_all(p, 8, lines);
            });
        return advice_for(p);
    };
    CHECK(best_for("grow").lines.at(0).what == remedy::arena);
    const advice_report report = best_for("libc_getline");
    CAPTURE(said_of(report));
    for (const advice &a : report.lines) CHECK(a.what == remedy::leave);
}

TEST_CASE(
    "unsafe advice: what the C library resizes comes into no arena by a hook, nor in a pool") {
    const auto advice_with = [](const std::string &resizer, bool is_handed_on) {
        planted_program p;
        for (unsigned request = 0; request != 50; ++request)
            p.call("serve", 3, [&] {
                std::vector<object> nodes, lines;
                for (unsigned i = 0; i != 200; ++i)
                    p.call("make_" + std::to_string(i % 4), 4,
                           [&] { p.call("xmalloc", 5, [&] { nodes.push_back(p.make(6, 64)); }); });
                p.call("read_lines", 7, [&] {
                    for (unsigned i = 0; i != 20; ++i) {
                        p.call("xmalloc", 8, [&] { lines.push_back(p.make(6, 64)); });
                        if (i % 10 != 0) continue;
                        p.call(resizer, 9, [&] { p.resize(10, lines.back(), 128); });
                    }
                });
                if (is_handed_on) {
                    p.on_thread(1);
                    p.call("take_lines", 11, [&] { free_all(p, 12, lines); });
                    p.on_thread(0);
                }
                free_all(p, 13, lines);
                free_all(p, 14, nodes);
            });
        return advice_for(p);
    };
    const advice own = advice_with("grow", false).lines.at(0);
    CHECK(own.what == remedy::arena);
    CHECK(has_hook(own));
    const advice of_library = advice_with("libc_getline", false).lines.at(0);
    CHECK(of_library.what == remedy::arena);
    CHECK_FALSE(has_hook(of_library));
    CHECK(of_library.others_of_lines == 0);
    const auto is_for_pool = [&](const std::string &resizer) {
        const advice_report report = advice_with(resizer, true);
        return std::ranges::any_of(
            report.lines, [](const advice &a) { return contains(a.why, "another thread frees"); });
    };
    CHECK(is_for_pool("grow"));
    CHECK_FALSE(is_for_pool("libc_getline"));
}

TEST_CASE("unsafe advice: lines that free other objects too don't go") {
    const auto said_with = [](const std::string &other_drop) {
        planted_program p;
        for (unsigned request = 0; request != 50; ++request) {
            p.call("serve", 3, [&] {
                std::vector<object> nodes;
                for (unsigned i = 0; i != 90; ++i) nodes.push_back(p.make(5, 64));
                p.call("drop", 6, [&] { free_all(p, 7, nodes); });
            });
            const object log = p.make(10, 200);
            p.call(other_drop, 11, [&] { p.free(7, log); });
        }
        return said_of(advice_for(p));
    };
    CHECK(contains(said_with("drop_log"), "by drop (planted.c:7): these frees go. "));
    CHECK(contains(said_with("drop"),
                   "by drop (planted.c:7): these frees go, but for what else they free."));
}
