// SPDX-License-Identifier: MIT
#include "printed.hpp"
#include "show/printer.hpp"
#include "show/table.hpp"

#include <doctest/doctest.h>

using namespace toft::lab;

TEST_CASE("numbers are aligned on the right and the best of a column is marked") {
    table t({{.header = ""}, {.header = "ns", .best = best_is::lowest}, {.header = "÷raw"}});
    t.add({{"malloc"}, {"33.0", 33.}, {"25.0"}});
    t.add({{"arena"}, {"1.33", 1.33}, {"1.01"}});
    CHECK(t.render(false) == "         ns  ÷raw\n"
                             "malloc 33.0  25.0\n"
                             "arena  1.33* 1.01\n");
}

TEST_CASE("equal figures share the mark, and a cell without a value doesn't compete") {
    table t({{.header = ""}, {.header = "/µs", .best = best_is::highest}});
    t.add({{"a"}, {"5", 5.}});
    t.add({{"b"}, {"5", 5.}});
    t.add({{"c"}, {"9"}});
    t.add({{"d"}, {"-"}});
    CHECK(t.render(false) == "  /µs\n"
                             "a   5*\n"
                             "b   5*\n"
                             "c   9\n"
                             "d   -\n");
}

TEST_CASE("neighbours of one group get one header above") {
    table t({{.header = ""},
             {.header = "ns", .group = "fresh"},
             {.header = "MiB", .group = "fresh"},
             {.header = "ns", .group = "freed"}});
    t.add({{"a"}, {"1"}, {"2"}, {"3"}});
    CHECK(t.render(false) == "  fresh  freed\n"
                             "  ns MiB ns\n"
                             "a  1   2  3\n");
}

TEST_CASE("a table that is too wide is cut between groups, and keeps its first column") {
    table t({{.header = "row"},
             {.header = "ns", .group = "fresh"},
             {.header = "MiB", .group = "fresh"},
             {.header = "ns", .group = "freed"}});
    t.add({{"a"}, {"1"}, {"2"}, {"3"}});
    const std::string cut = "    fresh\n"
                            "row ns MiB\n"
                            "a    1   2\n"
                            "\n"
                            "    freed\n"
                            "row ns\n"
                            "a    3\n";
    CHECK(t.render(false, 12) == cut);
    CHECK(t.render(false, 3) == cut); // a group isn't cut
    CHECK(t.render(false, 16) == t.render(false));
}

TEST_CASE("colour surrounds the best cell only when it is wanted") {
    table t({{.header = ""}, {.header = "ns", .best = best_is::lowest}});
    t.add({{"a"}, {"1", 1.}});
    CHECK(t.render(false).find('\x1b') == std::string::npos);
    CHECK(t.render(true).find("\x1b[1;32m") != std::string::npos);
    CHECK(t.render(true).find("\x1b[0m") != std::string::npos);
}

TEST_CASE("text is wrapped at blanks, and counted in code points") {
    CHECK(wrap("one two three", 7) == "one two\nthree");
    CHECK(wrap("ààà ààà", 7) == "ààà ààà");
    CHECK(wrap("longer-than-the-line x", 5) == "longer-than-the-line\nx");
    CHECK(wrap("", 5).empty());
}

TEST_CASE("headings are wrapped as text is") {
    const std::string words = "Leave it as it is: no change was found that gains more than the "
                              "noise of most measurements";
    const std::string said = printed_by([&](printer &out) { out.heading(words); });
    CHECK(said ==
          "\nLeave it as it is: no change was found that gains more than the noise of most\n"
          "measurements\n");
}
