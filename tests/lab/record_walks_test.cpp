// SPDX-License-Identifier: MIT
// The recorder's stacks against those that glibc's backtrace() sees.
#include "command.hpp"

#include <cstdint>
#include <cstdlib>
#include <doctest/doctest.h>
#include <fstream>
#include <map>
#include <record/recording.hpp>
#include <sstream>

namespace {

using namespace toft::lab;

struct seen {
    std::map<std::string, std::uint64_t> bias_of; // a module's path; the executable's is empty
    std::map<std::uint64_t, std::vector<std::uint64_t>> stack_of; // an allocation's size
};

seen read_seen(const std::string &path) {
    seen s;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::istringstream words(line);
        std::string kind, name;
        std::uint64_t number = 0;
        words >> kind;
        if (kind == "module") {
            words >> std::hex >> number >> name;
            s.bias_of[name] = number;
        } else {
            words >> number >> std::hex;
            for (std::uint64_t address = 0; words >> address;)
                s.stack_of[number].push_back(address);
        }
    }
    return s;
}

void compare_with_backtrace(const std::string &program, std::uint64_t seed) {
    CAPTURE(program);
    CAPTURE(seed);
    const std::string stacks = scratch("stacks"), file = scratch("walks.toft");
    const run_result run = run_toft("record -o '" + file + "' -- '" + program + "' " +
                                    std::to_string(seed) + " " + stacks);
    CAPTURE(run.err);
    REQUIRE(run.status == 0);
    const seen s = read_seen(stacks);
    const recording r = read_recording(file);
    std::size_t compared = 0, frames = 0, different = 0;
    r.for_each([&](std::span<const heap_event> events) {
        for (const heap_event &e : events) {
            const auto known = s.stack_of.find(e.bytes);
            if (e.call != heap_call::allocate || known == s.stack_of.end()) continue;
            std::vector<std::uint64_t> mine;
            for (std::uint32_t n = r.stacks[e.stack].parent; n != 0; n = r.stacks[n].parent) {
                const std::string &path = r.modules[r.stacks[n].module].path;
                const auto bias = s.bias_of.find(path == program ? "" : path);
                REQUIRE(bias != s.bias_of.end());
                mine.push_back(r.stacks[n].address + bias->second);
            }
            ++compared;
            frames += mine.size();
            different += mine != known->second;
        }
    });
    CHECK(compared == s.stack_of.size());
    CHECK(compared >= 2000);
    CHECK(frames > 5 * compared);
    CHECK(different == 0);
}

} // namespace

TEST_CASE("the recorder's stacks are those of backtrace(), whatever the frames") {
    const char *given = std::getenv("TOFT_TEST_SEED");
    const std::uint64_t first = given ? std::strtoull(given, nullptr, 10) : 1;
    for (const char *program :
         {TOFT_RECORD_WALKS_O0, TOFT_RECORD_WALKS_O2, TOFT_RECORD_WALKS_POINTERS})
        for (std::uint64_t seed = first; seed < first + (given ? 1 : 3); ++seed)
            compare_with_backtrace(program, seed);
}
