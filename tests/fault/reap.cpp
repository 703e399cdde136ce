// SPDX-License-Identifier: MIT
// A reap over an upstream that fails at each of its calls, once and from then on.
#include <doctest/doctest.h>

#include <cstring>
#include <new>
#include <vector>

#include <toft/toft.hpp>

#include "support/build.hpp"
#include "support/counting_upstream.hpp"
#include "support/reap_guard.hpp"

using namespace toft_test;

namespace {

// False when something was lost or damaged.
bool reap_workload(toft_reap *reap) {
    struct object {
        unsigned char *memory;
        std::size_t size;
    };
    std::vector<object> live;
    auto intact = [&] {
        for (std::size_t i = 0; i < live.size(); i++)
            if (live[i].memory[0] != live[i].size % 251 ||
                live[i].memory[live[i].size - 1] != live[i].size % 251)
                return false;
        return true;
    };
    auto some_work = [&] {
        for (std::size_t size : {24u, 100u, 5000u, 70000u, 24u, 20000u, 600000u, 3000u}) {
            if (void *memory = toft_reap_alloc(reap, size, 16)) {
                std::memset(memory, static_cast<int>(size % 251), size);
                live.push_back({static_cast<unsigned char *>(memory), size});
            }
        }
        for (std::size_t i = 0; i < live.size(); i += 2) {
            toft_reap_free(reap, live[i].memory, live[i].size, 16);
            live[i] = live.back();
            live.pop_back();
        }
        return intact();
    };
    if (!some_work()) return false;
    if (toft_reap_savepoint *point = toft_reap_save(reap)) {
        std::vector<object> before = live;
        live.clear();
        if (!some_work()) return false;
        toft_reap_rewind(reap, point);
        live = before;
    }
    return intact() && some_work();
}

// Says whether there was a std::bad_alloc.
bool containers_workload(toft::reap &reap) {
    try {
        toft::reap_resource resource(reap);
        std::pmr::vector<std::pmr::string> texts(&resource);
        toft::map<int, toft::basic_string<char, toft::reap>, toft::reap> map(reap);
        for (int i = 0; i < 200; i++) {
            map.try_emplace(i, "long enough not to fit the string itself");
            texts.emplace_back("long enough not to fit the string itself");
            if (i % 3 == 0) map.erase(i / 2);
            toft::reap_scope scratch(reap);
            toft::vector<int, toft::reap>(static_cast<std::size_t>(i) * 100, reap);
            (void)toft::make_unique<std::vector<int>, toft::reap>(reap, 100);
        }
        return false;
    } catch (const std::bad_alloc &) {
        return true;
    }
}

} // namespace

TEST_CASE("reap: an upstream that fails at any call loses nothing") {
    for (std::size_t chunk_bytes : {256u, 65536u})
        for (bool from_then_on : {false, true})
            for (std::size_t nth = 1;; nth++) {
                CAPTURE(nth);
                counting_upstream upstream;
                bool reached = false;
                {
                    reap_guard reap({.upstream = upstream.c(), .chunk_bytes = chunk_bytes});
                    upstream.fail_at(nth, from_then_on);
                    CHECK(reap_workload(reap));
                    reached = upstream.calls >= nth;
                    upstream.work_again();
                    CHECK(toft_reap_alloc(reap, 1000000, 8) != nullptr);
                    toft_reap_reset(reap);
                    CHECK(reap_workload(reap));
                }
                CHECK(upstream.live_blocks() == 0);
                if (!reached) break;
            }
}

TEST_CASE("reap: containers throw, and lose nothing") {
    for (bool from_then_on : {false, true})
        for (std::size_t nth = 1;; nth += case_step) {
            CAPTURE(nth);
            counting_upstream upstream;
            bool reached = false, threw = false;
            {
                toft::reap reap({.upstream = upstream.c(), .chunk_bytes = 512});
                upstream.fail_at(nth, from_then_on);
                threw = containers_workload(reap);
                reached = upstream.calls >= nth;
                upstream.work_again();
                CHECK_FALSE(containers_workload(reap));
            }
            CHECK(upstream.live_blocks() == 0);
            CHECK((!threw || reached));
            if (!reached) break;
        }
}
