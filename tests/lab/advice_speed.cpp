// SPDX-License-Identifier: MIT
// How long advice takes, and how much memory:  advice_speed EVENTS|deep [MAX_MIB]
//
// The events are made up anew whenever they are asked for: a program with 30,000 stacks of up to 40
// frames, which walks among them and keeps up to a million objects; or one that calls itself 8,000
// times, and makes an object in each call. With a bound, more memory is a failure.
#include "advice/advice.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <sys/resource.h>

using namespace toft::lab;

namespace {

constexpr std::uint32_t stack_count = 30'000, most_live = 1'000'000;

class random_numbers {
  public:
    std::uint32_t below(std::uint32_t n) {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 7;
        state_ ^= state_ << 17;
        return static_cast<std::uint32_t>((state_ >> 32) * n >> 32);
    }

  private:
    std::uint64_t state_ = 0x9e3779b97f4a7c15U;
};

std::vector<stack_node> made_up_stacks() {
    random_numbers chance;
    std::vector<stack_node> nodes(1);
    std::vector<std::uint32_t> depths(1);
    while (nodes.size() < stack_count) {
        // Mostly a new leaf below a recent node, so that the tree is deep.
        const auto size = static_cast<std::uint32_t>(nodes.size());
        std::uint32_t parent = size - 1 - chance.below(std::min(size, 60U));
        for (std::uint32_t up = depths[parent] < 40 ? 0 : 10 + chance.below(30); up != 0; --up)
            parent = nodes[parent].parent;
        const std::uint64_t function = 0x1000U * (1 + chance.below(2000));
        nodes.push_back({parent, 0, function + 1 + chance.below(200), function});
        depths.push_back(depths[parent] + 1);
    }
    return nodes;
}

// A walk along the stacks: each step allocates or frees, most often what is near.
void make_events(std::uint64_t count,
                 const std::function<void(std::span<const heap_event>)> &take) {
    random_numbers chance;
    std::vector<std::uint64_t> live;
    std::vector<heap_event> some;
    std::uint64_t next_address = 0x100000;
    std::uint32_t near = 1;
    for (std::uint64_t i = 0; i != count; ++i) {
        if (chance.below(16) == 0) near = 1 + chance.below(stack_count - 64);
        heap_event e;
        e.time_ns = i * 200;
        e.stack = near + chance.below(60);
        const bool grow = live.size() < 1000 || (live.size() < most_live && chance.below(100) < 51);
        if (grow) {
            e.address = next_address += 64;
            e.bytes = 16 + chance.below(500);
            live.push_back(e.address);
        } else {
            const auto size = static_cast<std::uint32_t>(live.size());
            const std::uint32_t back = chance.below(4) ? chance.below(8) : chance.below(size);
            std::swap(live[size - 1 - back], live.back());
            e.call = heap_call::free;
            e.address = live.back();
            live.pop_back();
        }
        some.push_back(e);
        if (some.size() == 4096) take(some), some.clear();
    }
    take(some);
}

recording of_walk(std::uint64_t count) {
    recording r;
    r.stacks = made_up_stacks();
    r.for_each = [count](const auto &take) { make_events(count, take); };
    return r;
}

// Two functions call each other, and main frees what they have made.
recording of_recursion() {
    constexpr std::uint32_t depth = 8000;
    const auto function = [](std::uint32_t at) { return std::uint64_t{0x1000} * (1 + at % 2); };
    recording r;
    r.stacks = {{}, {0, 0, 0x3001, 0x3000}, {0, 0, 0x3002, 0x3000}}; // main calls, and frees
    std::vector<heap_event> events;
    for (std::uint32_t at = 0, caller = 1; at != depth; ++at) {
        const auto next = static_cast<std::uint32_t>(r.stacks.size());
        r.stacks.push_back({caller, 0, function(at) + 1, function(at)}); // calls on
        r.stacks.push_back({caller, 0, function(at) + 2, function(at)}); // makes an object
        caller = next;
        events.push_back({.address = 64 * (at + 1UL), .bytes = 24, .stack = next + 1});
    }
    for (std::uint32_t at = 0; at != depth; ++at)
        events.push_back({.address = 64 * (at + 1UL), .stack = 2, .call = heap_call::free});
    for (heap_event &e : events) e.time_ns = 200 * static_cast<std::uint64_t>(&e - events.data());
    r.for_each = [events](const auto &take) { take(events); };
    return r;
}

} // namespace

int main(int argc, char **argv) {
    if (argc < 2) return EXIT_FAILURE;
    const std::string what = argv[1];
    recording r = what == "deep" ? of_recursion() : of_walk(std::stoull(what));
    r.command_line = {"made up"};
    r.modules = {{"/made-up", "00"}};
    r.threads.resize(1);

    using clock = std::chrono::steady_clock;
    const auto seconds = [](clock::duration d) { return std::chrono::duration<double>(d).count(); };
    const auto began = clock::now();
    r.for_each([](std::span<const heap_event>) {});
    const auto made = clock::now();
    const auto places = [](const recorded_module &m, std::uint64_t address) {
        return std::vector<source_place>{unknown_place(m, address)};
    };
    const advice_report report =
        advise({r}, {.places = places, .calls = {}, .left = {}, .code = {}});
    const auto advised = clock::now();
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    const long mebibytes = used.ru_maxrss / 1024;
    fmt::print("{} events, {} objects: {:.1f} s, of which a pass over the events takes {:.1f} s; "
               "{} MiB; regions take {:.1f} % of the objects\n",
               report.events, report.objects, seconds(advised - made), seconds(made - began),
               mebibytes, report.region_percent);
    return argc > 2 && mebibytes > std::stol(argv[2]) ? EXIT_FAILURE : EXIT_SUCCESS;
}
