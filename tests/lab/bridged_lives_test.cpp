// SPDX-License-Identifier: MIT
// A program that makes the first object of a new life before it frees the last of the old one: at
// no moment are all of them gone, and yet nearly all die together.
#include "planted_program.hpp"
#include "right_answers.hpp"

#include <deque>
#include <doctest/doctest.h>
#include <utility>
#include <vector>

using namespace toft::lab;

namespace {

using object = planted_program::object;

// Each document's root is made when the nodes of the one before are freed, and its lines aren't.
advice advice_for_documents(unsigned documents, bool frees_last = true) {
    planted_program p;
    std::vector<object> nodes, lines;
    const auto make_root = [&] {
        p.call("begin", 8, [&] { p.call("new_node", 2, [&] { nodes.push_back(p.make(1, 64)); }); });
    };
    make_root();
    for (unsigned i = 0; i != documents; ++i) {
        p.call("parse", 10, [&] {
            for (unsigned n = 0; n != 600; ++n) {
                p.call("new_node", 3, [&] { nodes.push_back(p.make(1, 64)); });
                if (n % 3 == 0) p.call("new_line", 4, [&] { lines.push_back(p.make(1, 24)); });
            }
        });
        if (i + 1 == documents && !frees_last) break;
        p.call("renew", 11, [&] {
            free_all(p, 5, nodes);
            make_root();
            free_all(p, 6, lines);
        });
    }
    if (frees_last) free_all(p, 12, nodes);
    const advice_report report = advise({p.recorded()}, p.symbols());
    REQUIRE(!report.lines.empty());
    return report.lines.front();
}

} // namespace

TEST_CASE("lives that a few objects bridge have an arena, and those are named as living longer") {
    const advice a = advice_for_documents(20);
    CAPTURE(words_of(a));
    CHECK(a.what == remedy::arena);
    CHECK(a.scope.function == "main");
    CHECK(a.lives == 20);
    // The root that main has made before the first document dies with it.
    CHECK(a.objects == 20 * 800 + 1);
    CHECK(a.most_in_a_life == 801);
    REQUIRE(a.escapes.size() == 1);
    CHECK(a.escaping == 20);
    CHECK(a.escapes.front().made.by.function == "new_node");
    CHECK(a.escapes.front().same_line);
    CHECK(a.others_of_lines == 0);
}

TEST_CASE("what bridges the lives of an arena for the whole program is named, too") {
    const advice a = advice_for_documents(20, false);
    CAPTURE(words_of(a));
    CHECK(a.what == remedy::arena);
    CHECK(a.function == 0);
    CHECK(a.escaping == 19);
    REQUIRE(!a.escapes.empty());
    CHECK(a.escapes.front().made.by.function == "new_node");
    CHECK(a.escapes.front().same_line);
}

TEST_CASE("what an arena would keep, or what grows, and lives on beyond a reset is named") {
    planted_program p;
    p.call("run", 20, [&] {
        std::deque<object> ring;
        object log = 0;
        p.call("open_log", 21, [&] { p.call("get", 1, [&] { log = p.make(4, 64); }); });
        for (unsigned round = 0; round != 40; ++round) {
            std::vector<object> nodes;
            for (unsigned n = 0; n != 300; ++n)
                p.call("get", 22, [&] { nodes.push_back(p.make(4, 64)); });
            p.call("roll", 23, [&] {
                p.call("get", 24, [&] { ring.push_back(p.make(4, 64)); });
                if (ring.size() > 3) {
                    p.free(25, ring.front());
                    ring.pop_front();
                }
            });
            p.call("grow", 26, [&] { p.resize(27, log, 64 + 64 * round); });
            for (const object o : nodes) p.free(28, o);
        }
        for (const object o : ring) p.free(29, o);
        p.free(30, log);
    });
    const advice_report report = advise({p.recorded()}, p.symbols());
    REQUIRE(!report.lines.empty());
    const advice &a = report.lines.front();
    CAPTURE(words_of(a));
    CHECK(a.what == remedy::arena);
    CHECK(a.scope.function == "run");
    CHECK(a.lives == 40);
    CHECK(a.objects == 40 * 300);
    CHECK(a.escaping == 41); // what the ring holds, and the log
    CHECK(a.others_of_lines == 0);
}
