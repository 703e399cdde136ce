// SPDX-License-Identifier: MIT
// Whatever a recording's file says, what reads it says that it is damaged, or makes something of
// it. The presets lab-asan-ubsan and lab-tsan look meanwhile at each access.
#include "advice/advice.hpp"
#include "advice/advice_file.hpp"
#include "advice/advice_text.hpp"
#include "advice/history.hpp"
#include "command.hpp"
#include "export/export.hpp"
#include "made_recording.hpp"
#include "printed.hpp"
#include "record/recorded_program.hpp"
#include "recording_parts.hpp"
#include "replay/compile.hpp"
#include "replay/execution.hpp"
#include "replay/heaps.hpp"
#include "verify/shared_plan.hpp"
#include "verify/verified_program.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <string_view>

#include "../property/choices.hpp"
#include "../property/seeds.hpp"

using namespace toft::lab;
using toft_test::choices;

namespace {

// Files that this says nothing of are read by libraries, which aren't looked at here.
std::vector<source_place> no_symbols(const recorded_module &m, std::uint64_t address) {
    return {unknown_place(m, address)};
}

std::string recorded(const std::string &what) {
    const std::string path = scratch(what + ".toft");
    if (std::filesystem::exists(path)) return path;
    const finished_recording done = record_program(
        {.words = {TOFT_RECORD_TARGET, what.substr(0, what.find('-')),
                   what.find('-') == what.npos ? "0" : what.substr(what.find('-') + 1)},
         .file = path});
    REQUIRE(done.wait_status == 0);
    return path;
}

std::uint64_t events_in(const recording &r) {
    std::uint64_t count = 0;
    r.for_each([&](std::span<const heap_event> events) { count += events.size(); });
    return count;
}

// Each thread is one here too, so that a file which speaks of very many isn't replayed.
void replay(const recording &r) {
    constexpr std::uint32_t most_threads = 64, most_slots_here = 1 << 16;
    program_writer writer;
    const compiled_counts counts = compile(r, {}, writer);
    const program_reader program(writer.path());
    if (counts.threads > most_threads || program.facts().slots > most_slots_here) return;
    const mapped_words addresses(program.facts().slots);
    thread_paces paces(program.facts().threads);
    no_heap heap(placed_frees::kept);
    execution<no_heap> all(program, heap, touching::whole,
                           reinterpret_cast<char **>(addresses.data()), paces);
    all.run();
}

void take_advice(const recording &r) {
    const std::vector<recording> all{r};
    const advice_report report = advise(all, {no_symbols, {}, {}, {}});
    CHECK_FALSE(advice_document(report).empty());
    CHECK_FALSE(printed_by([&](printer &out) { print_advice(report, out); }).empty());
    history_of(report, r, 0, no_symbols);
    stack_tree tree;
    tree.merge(r);
    for (const advice &a : report.lines)
        if (obstacle_to_verify(a).empty()) shared_plan(plan_of(a, tree, {}));
}

// All that a user can do with a file. Only words for the user may be thrown.
void use(const std::string &path) {
    try {
        const recording r = read_recording(path);
        take_advice(r);
        if (r.sampled_bytes == 0) replay(r);
    } catch (const std::runtime_error &) {}
    try {
        export_recordings({.paths = {path},
                           .pprof_path = scratch("x.pb.gz"),
                           .firefox_path = scratch("x.json"),
                           .table_folder = scratch("x")},
                          no_symbols);
    } catch (const std::runtime_error &) {}
}

std::uint64_t odd_number(choices &choose) {
    constexpr std::uint64_t odd[] = {0,         1,          2,          127,        128,
                                     255,       1U << 16,   1U << 22,   1U << 26,   (1U << 26) + 1,
                                     INT32_MAX, 1U << 31,   UINT32_MAX, 1ULL << 32, 1ULL << 47,
                                     INT64_MAX, 1ULL << 63, UINT64_MAX};
    return choose.one_in(3) ? choose.below(200) : odd[choose.below(std::size(odd))];
}

void change_payload(recording_block &b, choices &choose) {
    if (b.payload.empty()) return;
    const std::size_t at = choose.below(b.payload.size());
    switch (choose.below(5)) {
    case 0:
        b.payload[at] = static_cast<char>(choose.below(256));
        break;
    case 1:
        b.payload.resize(at);
        break;
    case 2:
        b.payload.insert(at,
                         std::string(1 + choose.below(20), static_cast<char>(odd_number(choose))));
        break;
    case 3: // a field of a payload's beginning
        if (const std::size_t field = choose.below(24) * 4; field + 4 <= b.payload.size())
            b.put(field, static_cast<std::uint32_t>(odd_number(choose)));
        break;
    default:
        if (const std::size_t field = choose.below(12) * 8; field + 8 <= b.payload.size())
            b.put(field, odd_number(choose));
    }
}

void alter(recording_parts &parts, choices &choose) {
    std::vector<recording_block> &blocks = parts.blocks;
    if (blocks.empty()) return;
    const std::size_t at = choose.below(blocks.size());
    const auto place = blocks.begin() + static_cast<std::ptrdiff_t>(at);
    switch (choose.below(16)) {
    case 0:
        blocks.erase(place);
        break;
    case 1:
        blocks.insert(place, recording_block(*place));
        break;
    case 2:
        std::swap(blocks[at], blocks[choose.below(blocks.size())]);
        break;
    case 3:
        place->header.kind = static_cast<std::uint32_t>(choose.below(9));
        break;
    case 4:
        place->header.records = static_cast<std::uint32_t>(odd_number(choose));
        break;
    case 5:
        (choose.one_in(2) ? place->header.ticks : place->header.nanoseconds) = odd_number(choose);
        break;
    default:
        change_payload(*place, choose);
    }
}

// In the place of what the first block of events says: one event of these columns.
void put_events(recording_parts &parts, const std::string_view (&columns)[toft_column_count]) {
    for (recording_block &b : parts.blocks) {
        if (b.header.kind != toft_block_events) continue;
        auto head = b.at<toft_events_payload>(0);
        b.payload.resize(sizeof head);
        for (unsigned i = 0; i != toft_column_count; ++i) {
            const auto bytes = static_cast<std::uint32_t>(columns[i].size());
            head.plain_bytes[i] = head.compressed_bytes[i] = bytes;
            b.payload += columns[i];
        }
        b.put(0, head);
        b.header.records = 1;
        return;
    }
}

} // namespace

TEST_CASE("a recording that is cut off anywhere is read up to there, or refused in words") {
    const std::string path = scratch("cut.toft");
    const recording_parts whole(recorded("threads-2"));
    const std::string bytes = whole.bytes();
    std::uint64_t events = 0;
    std::size_t begin = sizeof whole.header;
    for (const recording_block &b : whole.blocks) {
        const std::size_t size = sizeof b.header + b.payload.size();
        for (const std::size_t more :
             {std::size_t{0}, std::size_t{1}, sizeof b.header / 2, sizeof b.header,
              sizeof b.header + b.payload.size() / 2, size - 1}) {
            write_to(path, bytes.substr(0, begin + more));
            const recording r = read_recording(path);
            CAPTURE(begin + more);
            CHECK_FALSE(r.incomplete.empty());
            CHECK(events_in(r) == events);
        }
        if (b.header.kind == toft_block_events) events += b.header.records;
        begin += size;
    }
    CHECK(read_recording(recorded("threads-2")).incomplete.empty());
    CHECK(events == events_in(read_recording(recorded("threads-2"))));
    for (std::size_t size = 0; size != sizeof whole.header; ++size) {
        write_to(path, bytes.substr(0, size));
        CHECK_THROWS_WITH_AS(read_recording(path), doctest::Contains("is no recording"),
                             std::runtime_error);
    }
}

TEST_CASE("bytes of a recording that are flipped at random are seen, but in its last block") {
    const std::string path = scratch("flipped.toft");
    const recording_parts whole(recorded("known"));
    const std::string bytes = whole.bytes();
    const std::uint64_t events = events_in(read_recording(recorded("known")));
    toft_test::run_seeds(300, 10, [&](std::uint64_t seed) {
        choices choose(seed);
        std::string flipped = bytes;
        // The header's last word, the run's number, is any.
        const std::size_t at =
            choose.one_in(10) ? choose.below(12) : 16 + choose.below(bytes.size() - 16);
        flipped[at] = static_cast<char>(flipped[at] ^ static_cast<char>(1 << choose.below(8)));
        write_to(path, flipped);
        CAPTURE(seed);
        try {
            const recording r = read_recording(path);
            CHECK_FALSE(r.incomplete.empty());
            CHECK(events_in(r) <= events);
        } catch (const std::runtime_error &e) {
            const bool in_words = contains(e.what(), "damaged") || contains(e.what(), "version") ||
                                  contains(e.what(), "no recording");
            CHECK(in_words);
        }
    });
}

TEST_CASE("a recording with a null pointer, which nobody records, is damaged") {
    const std::string path = scratch("null.toft");
    recording_parts parts(recorded("known"));
    // Free, at once, by the root: the object of the last free and no further, and the newest object
    // of a site that has made none.
    for (const std::string_view address : {std::string_view("\1\0", 2), {"\0", 1}}) {
        const std::string_view columns[toft_column_count] = {
            {"\0", 1}, {"\0", 1}, address, {}, {"\0", 1}};
        put_events(parts, columns);
        parts.write(path);
        CHECK_THROWS_WITH_AS(events_in(read_recording(path)), doctest::Contains("damaged"),
                             std::runtime_error);
    }
}

TEST_CASE("a recording whose clock runs wild has times that a number can hold") {
    const std::string path = scratch("clock.toft");
    recording_parts parts(recorded("known"));
    for (recording_block &b : parts.blocks) {
        if (b.header.kind == toft_block_process) {
            b.put(offsetof(toft_process_payload, start_ticks), std::uint64_t{0});
            b.put(offsetof(toft_process_payload, start_nanoseconds), std::uint64_t{0});
        }
        b.header.ticks = 1;
        b.header.nanoseconds = UINT64_MAX;
    }
    parts.write(path);
    std::uint64_t last_ns = 0;
    read_recording(path).for_each([&](std::span<const heap_event> events) {
        for (const heap_event &e : events) last_ns = std::max(last_ns, e.time_ns);
    });
    CHECK(last_ns == 1'000'000'000'000'000'000);
}

TEST_CASE("a recording that took nearly all of the time says so, and how little it may have left") {
    recording_parts parts(recorded("works"));
    for (recording_block &b : parts.blocks)
        if (b.header.kind == toft_block_time) {
            b.put(offsetof(toft_time_payload, processor_ns), std::uint64_t{1'000'000'000});
            b.put(offsetof(toft_time_payload, writing_ns), std::uint64_t{920'000'000});
            b.put(offsetof(toft_time_payload, event_ticks), std::uint64_t{0});
        }
    const std::string path = scratch("vague.toft");
    parts.write(path);
    const recording r = read_recording(path);
    REQUIRE(r.time);
    CHECK(r.time->most_ns == 200'000'000);
    CHECK(r.time->least_ns <= 80'000'000);
    CHECK(r.time->least_ns == 500'000); // its start
    const auto remarks_of = [&](std::optional<double> seconds) {
        std::string all;
        for (const std::string &remark : advise({r}, {no_symbols, {}, {}, {}}, seconds).remarks)
            all += remark;
        return all;
    };
    CHECK(contains(remarks_of({}), "it is at most 0.2 s"));
    CHECK(contains(remarks_of({}), "--cpu SECONDS"));
    CHECK_FALSE(contains(remarks_of(.1), "at most"));
}

// A recording's calls, which took so many nanoseconds each, of which so many were timed; and the
// seconds that the program may have taken alone.
static std::pair<double, interval> calls_that_took(const std::string &name, std::uint64_t all,
                                                   std::uint64_t timed) {
    recording_parts parts(recorded("pairs-1"));
    const std::uint64_t events = events_in(read_recording(recorded("pairs-1")));
    REQUIRE(events >= 40'000);
    for (recording_block &b : parts.blocks)
        if (b.header.kind == toft_block_time) {
            b.put(offsetof(toft_time_payload, processor_ns), events * all);
            b.put(offsetof(toft_time_payload, writing_ns), events * timed);
            b.put(offsetof(toft_time_payload, event_ticks), std::uint64_t{0});
        }
    const std::string path = scratch(name);
    parts.write(path);
    return {static_cast<double>(events),
            advise({read_recording(path)}, {no_symbols, {}, {}, {}}).processor_seconds};
}

// As a program took that made trees of 9.8 million objects. Alone it took 6.4 ns a call, and a
// process takes half a millisecond to start.
TEST_CASE("a program of nothing but calls of its heap may have taken a sixtieth of its recording") {
    const auto [calls, seconds] = calls_that_took("trees.toft", 416, 369);
    const double alone_seconds = calls * 6.4e-9 + .0005;
    CHECK(seconds.low <= alone_seconds);
    CHECK(seconds.low >= alone_seconds / 4);
    CHECK(seconds.high >= alone_seconds);
}

// As octave took, which alone took 69 to 80 ns for each of its 13 million calls.
TEST_CASE("what recording costs beside what it timed isn't taken for the program's own time") {
    const auto [calls, seconds] = calls_that_took("octave.toft", 351, 237);
    CHECK(seconds.low <= calls * 69e-9);
    CHECK(seconds.low >= calls * 50e-9);
    CHECK(seconds.high >= calls * 80e-9);
}

TEST_CASE("stacks are as deep as a recorder writes them, and drawn as deep as can be seen") {
    const auto chain_of = [](std::uint32_t depth) {
        recording r = made_recording().allocate(0, 16, 100, depth).made();
        r.modules.resize(1);
        for (std::uint32_t i = 1; i <= depth; ++i) r.stacks[i] = {i - 1, 0, i, i};
        return r;
    };
    const recording deep = chain_of(1 << 14);
    const memory_history history =
        history_of(advise({deep}, {no_symbols, {}, {}, {}}), deep, 0, no_symbols);
    std::size_t drawn = 0;
    const flame_node *node = &history.calls;
    for (; !node->children.empty(); node = &node->children.front()) ++drawn;
    CHECK(drawn == 500);
    CHECK(node->bytes == 100);

    const std::string path = scratch("deep.toft");
    recording_parts parts(recorded("known"));
    const auto with_depth = [&](std::size_t depth) {
        std::string nodes; // each calls the next, in the function that is guessed
        for (std::size_t i = 0; i != depth; ++i) nodes += std::string_view("\1\0\0", 3);
        recording_parts changed = parts;
        changed.blocks.resize(1);
        recording_block stacks;
        stacks.header = parts.blocks.front().header;
        stacks.header.kind = toft_block_stacks;
        stacks.header.records = static_cast<std::uint32_t>(depth);
        stacks.payload.resize(sizeof(toft_stacks_payload));
        stacks.put(0, toft_stacks_payload{1, static_cast<std::uint32_t>(nodes.size())});
        stacks.payload += nodes;
        changed.blocks.push_back(stacks);
        changed.write(path);
        return read_recording(path).stacks.size();
    };
    CHECK(with_depth(1 << 14) == (1 << 14) + 1);
    CHECK_THROWS_WITH_AS(with_depth(100'000), doctest::Contains("damaged"), std::runtime_error);
}

TEST_CASE("whatever a verified program has written into the plan, nothing outside of it is read") {
    region_plan plan;
    plan.modules.resize(1);
    plan.steps.resize(2);
    plan.sites = 1;
    shared_plan file(plan);
    CHECK(reinterpret_cast<std::uintptr_t>(toft_verify_steps(&*file)) % alignof(toft_verify_step) ==
          0);
    std::memset(static_cast<void *>(&*file), 0x7f, sizeof(toft_verify_plan));
    const verified_run run = what_came_of(file);
    CHECK(run.sites == 1);
    CHECK(run.sites_seen == 0);
    REQUIRE(run.findings.size() == toft_verify_findings_most);
    CHECK(run.findings[0].system_call.size() == 16);
    CHECK(run.findings[0].used.frames.size() == toft_verify_frames_most);
}

TEST_CASE("whatever a recording's blocks say, it is used or refused in words") {
    const std::string path = scratch("said.toft");
    recording_parts known(recorded("known")), mixed(recorded("mixture-40"));
    known.decompress();
    mixed.decompress();
    known.write(path);
    CHECK(events_in(read_recording(path)) == events_in(read_recording(recorded("known"))));
    toft_test::run_seeds(200, 10, [&](std::uint64_t seed) {
        choices choose(seed);
        recording_parts changed = choose.one_in(2) ? known : mixed;
        for (std::size_t left = 1 + choose.below(4); left != 0; --left) alter(changed, choose);
        changed.write(path);
        CAPTURE(seed);
        CHECK_NOTHROW(use(path));
    });
}
