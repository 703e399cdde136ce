// SPDX-License-Identifier: MIT
// src/base/decay.h and src/pool/idle.h: how much of what lies idle goes back at a step, and how
// much may stay. The clock is the fake system's.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

extern "C" {
#include "base/decay.h"
#include "pool/idle.h"
}
#include "os/fake/fake.h"
#include "support/units.hpp"

using namespace toft_test;

TEST_CASE("a step halves for each half second, and after any rest next to nothing is left") {
    CHECK(toft_decay_halvings(1000, 1499) == 0);
    CHECK(toft_decay_halvings(1000, 1500) == 1);
    CHECK(toft_decay_halvings(1000, 2999) == 3);
    CHECK(toft_decay_halvings(1000, 900) == 0);   // another thread was first
    CHECK(toft_decay_halvings(20000, 1000) == 1); // the clock was set back
    for (uint64_t rest_ms : {uint64_t{10'000}, uint64_t{32'000}, uint64_t{1} << 40}) {
        const unsigned halvings = toft_decay_halvings(0, rest_ms);
        CHECK(mebibyte - toft_decay_share(mebibyte, halvings) <= 1);
    }
}

TEST_CASE(
    "what is owed is no more than half of what stayed idle, and ends where there is no more") {
    toft_debt debt = {100};
    toft_debt_forgive(&debt, 60);
    CHECK(debt.owed == 30);
    CHECK(toft_debt_take(&debt, 8) == 8);
    toft_debt_settle(&debt, 8, 20); // a piece goes as a whole
    CHECK(debt.owed == 10);
    CHECK(toft_debt_take(&debt, 8) == 8);
    toft_debt_settle(&debt, 8, 5);
    CHECK_FALSE(toft_debt_is_owed(&debt));
}

TEST_CASE("a store that decays counts anew what is idle from a step on") {
    uint64_t stepped_at_ms = 1000;
    std::size_t low = 64;
    CHECK(toft_decay_step_locked(&stepped_at_ms, 1499, 100, &low) == 0);
    CHECK(low == 64);
    CHECK(toft_decay_step_locked(&stepped_at_ms, 1500, 100, &low) == 32);
    CHECK(low == 68);
    CHECK(toft_decay_step_locked(&stepped_at_ms, 2500, 68, &low) == 51);
}

TEST_CASE("what is given back and mapped again within half a second is wanted") {
    for (int wait_ms : {0, 500, 501}) {
        CAPTURE(wait_ms);
        toft_idle idle = {};
        toft_idle_note_shed(&idle, 10 * mebibyte);
        toft_fake_advance(wait_ms);
        toft_idle_note_mapped(&idle, 8 * mebibyte);
        CHECK(toft_idle_wanted_bytes(&idle) == (wait_ms <= 500 ? 8 * mebibyte : 0));
        toft_idle_note_mapped(&idle, 8 * mebibyte);
        CHECK(toft_idle_wanted_bytes(&idle) == (wait_ms <= 500 ? 10 * mebibyte : 0));
    }
}

TEST_CASE("what is wanted is bounded by what was in use, and ends when it isn't used again") {
    toft_idle idle = {};
    toft_idle_note_shed(&idle, 200 * mebibyte);
    toft_idle_note_mapped(&idle, 200 * mebibyte);
    CHECK(toft_idle_wanted_bytes(&idle) == TOFT_IDLE_WANTED_BYTES);
    toft_idle_note_used(&idle, 100 * mebibyte);
    CHECK(toft_idle_wanted_bytes(&idle) == 100 * mebibyte);
    toft_idle_step(&idle, 0, 1); // it was used
    CHECK(toft_idle_wanted_bytes(&idle) == 100 * mebibyte);
    toft_idle_step(&idle, 0, 1); // it wasn't
    CHECK(toft_idle_wanted_bytes(&idle) <= 50 * mebibyte);
    toft_idle_note_reused(&idle, 100 * mebibyte);
    toft_idle_step(&idle, 0, 3); // long ago, perhaps
    CHECK(toft_idle_wanted_bytes(&idle) <= 50 * mebibyte / 8);
}

TEST_CASE("the most that was in use counts for one step more, but not after a rest") {
    toft_high high = {};
    toft_high_note(&high, 100);
    toft_high_step(&high, 10, 1);
    CHECK(toft_high_bytes(&high) == 100);
    toft_high_step(&high, 20, 1);
    CHECK(toft_high_bytes(&high) == 20);
    toft_high_note(&high, 100);
    toft_high_step(&high, 10, 2);
    CHECK(toft_high_bytes(&high) == 10);
}
