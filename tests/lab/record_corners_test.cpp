// SPDX-License-Identifier: MIT
// `toft record` of programs that do what few programs do: none crashes for that, and nothing is
// lost in silence.
#include "recorded_run.hpp"

#include <doctest/doctest.h>

using namespace toft::lab;

namespace {

recorded corner(const std::string &what, const std::string &options = {}) {
    return record_program(TOFT_RECORD_CORNERS, what, options);
}

} // namespace

TEST_CASE("toft record: a file that may not grow ends the recording, and not the program") {
    for (const char *what : {"limited", "holds-back"}) {
        const recorded made = corner(what);
        CAPTURE(made.run.err);
        CHECK(made.run.status == 1); // the program's own is 0
        CHECK(contains(made.run.out, "alive"));
        CHECK(contains(made.run.out, "pending") == (std::string(what) == "holds-back"));
        CHECK(contains(made.run.err, "its recording failed: File too large (ulimit -f"));
    }
}
