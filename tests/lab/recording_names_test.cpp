// SPDX-License-Identifier: MIT
#include "record/recording_names.hpp"

#include <doctest/doctest.h>

using namespace toft::lab;

TEST_CASE("the files of a run are told by their names, and what users call theirs isn't") {
    CHECK(is_named_for_process("a.toft.71", "a.toft", 71));
    CHECK(is_named_for_process("a.toft.71.2", "a.toft", 71));
    for (const char *other : {"a.toft", "a.toft.", "a.toft.7", "a.toft.712", "a.toft.71.",
                              "a.toft.71.x", "a.toft.71.2.3", "b.toft.71", "a.toft.exec-71"})
        CHECK_FALSE_MESSAGE(is_named_for_process(other, "a.toft", 71), other);
    CHECK(is_named_before_exec("a.toft.exec-1", "a.toft"));
    CHECK(is_named_before_exec("a.toft.exec-12", "a.toft"));
    for (const char *other : {"a.toft", "a.toft.exec-", "a.toft.exec-.", "a.toft.exec-1.2",
                              "a.toft.exec-old", "a.toft.1", "b.toft.exec-1"})
        CHECK_FALSE_MESSAGE(is_named_before_exec(other, "a.toft"), other);
}
