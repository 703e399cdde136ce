// SPDX-License-Identifier: MIT
#include "replay/thread_pace.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <cstdint>
#include <thread>
#include <vector>

using toft::lab::thread_paces;

namespace {

long switches() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return used.ru_nvcsw;
}

} // namespace

TEST_SUITE("the pace of replayed threads") {
    TEST_CASE("a thread that waits is woken once, when what it waits for is there") {
        constexpr std::uint32_t waiters = 40;
        constexpr std::uint64_t calls = 200'000;
        thread_paces paces(waiters + 1);
        std::vector<std::uint64_t> seen(waiters + 1);
        std::uint64_t done = 0; // published with the pace
        const long before = switches();
        std::vector<std::thread> threads;
        for (std::uint32_t i = 1; i <= waiters; ++i)
            threads.emplace_back([&, i] {
                paces.wait(i, 0, 0, calls / 2);
                paces.wait(i, 0, 0, calls);
                seen[i] = done;
            });
        for (std::uint64_t i = 1; i <= calls; ++i) {
            if (i == calls) done = i;
            paces.publish(0, i);
        }
        for (std::thread &t : threads) t.join();
        for (std::uint32_t i = 1; i <= waiters; ++i) CHECK(seen[i] == calls);
        // Two waits each, and the locks. With one list of waiters each call could wake all of them.
        CHECK(switches() - before < 20 * waiters);
    }

    TEST_CASE("threads hand on to each other in turn") {
        constexpr std::uint32_t players = 8;
        constexpr std::uint64_t turns = 500;
        thread_paces paces(players);
        std::vector<std::uint32_t> order; // only who has the turn writes it
        std::vector<std::thread> threads;
        for (std::uint32_t i = 0; i != players; ++i)
            threads.emplace_back([&, i] {
                for (std::uint64_t turn = 0; turn != turns; ++turn) {
                    if (i != 0)
                        paces.wait(i, turn, i - 1, turn + 1);
                    else if (turn != 0)
                        paces.wait(i, turn, players - 1, turn);
                    order.push_back(i);
                    paces.publish(i, turn + 1);
                }
            });
        for (std::thread &t : threads) t.join();
        REQUIRE(order.size() == players * turns);
        for (std::size_t i = 0; i != order.size(); ++i) CHECK(order[i] == i % players);
    }

    TEST_CASE("who ends lets all go on, and a replay can be made again") {
        thread_paces paces(2);
        for (int round = 0; round != 3; ++round) {
            paces.begin_again();
            paces.will_start();
            std::thread other([&] {
                paces.wait(1, 0, 0, 10);
                paces.end(1);
            });
            paces.publish(0, 9);
            paces.end(0);
            paces.wait_for_ends();
            other.join();
        }
    }
}
