// SPDX-License-Identifier: MIT
// `toft record` of programs that do what few programs do: none crashes for that, and nothing is
// lost in silence.
#include "recorded_run.hpp"
#include "recording_parts.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <doctest/doctest.h>
#include <elf.h>
#include <filesystem>
#include <map>
#include <record/recorded_file.hpp>

using namespace toft::lab;

namespace {

recorded corner(const std::string &what, const std::string &options = {}) {
    return record_program(TOFT_RECORD_CORNERS, what, options);
}

// A copy whose program headers lie at its end, as tools such as patchelf put them: in a segment of
// their own, which takes the place of the one that says something of the stack.
std::string with_moved_headers(const std::string &path) {
    std::string file = contents_of(path);
    Elf64_Ehdr head{};
    std::memcpy(&head, file.data(), sizeof head);
    std::vector<Elf64_Phdr> segments(head.e_phnum);
    const std::size_t bytes = segments.size() * sizeof(Elf64_Phdr);
    std::memcpy(segments.data(), file.data() + head.e_phoff, bytes);
    constexpr std::size_t page = 4096;
    const auto rounded = [](std::size_t size) { return (size + page - 1) / page * page; };
    std::size_t behind = 0;
    for (const Elf64_Phdr &s : segments)
        if (s.p_type == PT_LOAD) behind = std::max<std::size_t>(behind, s.p_vaddr + s.p_memsz);
    behind = rounded(behind);
    constexpr std::size_t far = 8 << 20; // in the file alone
    file.resize(rounded(file.size()) + far);
    for (Elf64_Phdr &s : segments) {
        if (s.p_type != PT_GNU_STACK && s.p_type != PT_PHDR) continue;
        if (s.p_type == PT_GNU_STACK) s.p_type = PT_LOAD;
        s.p_flags = PF_R;
        s.p_offset = file.size();
        s.p_vaddr = s.p_paddr = behind;
        s.p_filesz = s.p_memsz = bytes;
        s.p_align = s.p_type == PT_LOAD ? page : sizeof(std::uint64_t);
    }
    head.e_phoff = file.size();
    std::memcpy(file.data(), &head, sizeof head);
    file.append(reinterpret_cast<const char *>(segments.data()), bytes);
    const std::string moved = scratch("moved-" + std::filesystem::path(path).filename().string());
    write_to(moved, file);
    std::filesystem::permissions(moved, std::filesystem::perms::owner_all);
    return moved;
}

const recorded_module &module_called(const read_back &r, const std::string &path) {
    const auto found = std::find_if(r.what.modules.begin(), r.what.modules.end(),
                                    [&](const recorded_module &m) { return m.path == path; });
    REQUIRE(found != r.what.modules.end());
    return *found;
}

// The last.
toft_end_payload end_of(const std::string &path) {
    toft_end_payload end{};
    recorded_file(path).for_each_block(
        [&](const toft_block_header &h, std::uint64_t, std::span<const std::byte> payload) {
            if (h.kind == toft_block_end) REQUIRE(take_end(payload, end));
        });
    return end;
}

std::size_t depth(const read_back &r, const heap_event &e) {
    std::size_t frames = 0;
    for (std::uint32_t node = e.stack; node != 0; node = r.what.stacks[node].parent) ++frames;
    return frames;
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

TEST_CASE("toft record: to look for the heap disturbs neither locales nor what dlerror says") {
    const recorded made = corner("locales");
    CHECK(made.run.status == 0);
    CHECK(made.run.out.starts_with("no error"));
}

TEST_CASE("toft record: program headers that lie elsewhere in a file do no harm") {
    const recorded plain = record("known");
    REQUIRE(plain.run.status == 0);
    const std::string program = with_moved_headers(TOFT_RECORD_TARGET);
    const recorded moved = record_program(program, "known");
    CAPTURE(moved.run.err);
    REQUIRE(moved.run.status == 0);
    CHECK(module_called(read_all(moved.path), program).build_id ==
          module_called(read_all(plain.path), TOFT_RECORD_TARGET).build_id);
    const std::string library = with_moved_headers(TOFT_RECORD_LIBRARY_A);
    const recorded loads = record("libraries '" + library + "' '" TOFT_RECORD_LIBRARY_B "'");
    CAPTURE(loads.run.err);
    REQUIRE(loads.run.status == 0);
    CHECK(of_size(read_all(loads.path), 2101).size() == 3);
    module_called(read_all(loads.path), library); // by its path alone
}

TEST_CASE("toft record: where rules are missing, no coroutine's stack leads onto another one") {
    const recorded made = corner("coroutines");
    CAPTURE(made.run.err);
    REQUIRE(made.run.status == 0);
    CHECK(made.run.out == "alive\n");
    const read_back r = read_all(made.path);
    const std::vector<heap_event> objects = of_size(r, 3101);
    CHECK(objects.size() == 30);
    for (const heap_event &e : objects) CHECK(depth(r, e) == 3); // with the switch's frame
}

TEST_CASE("toft advise: of a program that switches stacks, advice is to be verified") {
    const recorded made = corner("coroutines");
    const std::string said = "The program switches stacks itself";
    CHECK(end_of(made.path).switched_events == 60); // and not those of main and before
    CHECK(contains(unwrapped(run_toft("advise --no-replay '" + made.path + "'").out), said));
    // The last one's first event comes before the recorder knows which thread is the first.
    for (const recorded &plain : {record("threads 4"), record("fork"), corner("no-rules")}) {
        CHECK(end_of(plain.path).switched_events == 0);
        for (const std::string &child : children_of(plain.path))
            CHECK(end_of(child).switched_events == 0);
    }
    // Earlier recorders didn't say it.
    recording_parts parts(made.path);
    for (recording_block &b : parts.blocks)
        if (b.header.kind == toft_block_end)
            b.payload.resize(offsetof(toft_end_payload, switched_events));
    parts.write(made.path);
    const recording earlier = read_recording(made.path);
    CHECK(earlier.incomplete.empty());
    CHECK(earlier.cut_stacks == 2);
    CHECK(earlier.switched_events == 0);
}

TEST_CASE("toft record: where rules are missing, bp is followed on a thread's own stack") {
    const recorded made = corner("no-rules");
    REQUIRE(made.run.status == 0);
    const read_back r = read_all(made.path);
    const std::vector<heap_event> objects = of_size(r, 3102);
    REQUIRE(objects.size() == 2);
    for (const heap_event &e : objects) CHECK(depth(r, e) >= 5); // to where the thread begins
}

TEST_CASE("toft record: what a thread frees at its very end costs no memory, and is the thread's") {
    const long plain = std::stol(run_shell("'" TOFT_RECORD_CORNERS "' late 2000").out);
    const recorded made = corner("late 2000");
    REQUIRE(made.run.status == 0);
    CHECK(std::stol(made.run.out) - plain <= 16 << 10);
    const read_back r = read_all(made.path);
    std::map<std::uint64_t, std::uint32_t> makers;
    std::size_t foreign = 0, freed = 0;
    for (const heap_event &e : r.events) {
        if (e.call != heap_call::free) {
            makers[e.address] = e.thread;
        } else if (const auto made_there = makers.find(e.address); made_there != makers.end()) {
            ++freed;
            foreign += made_there->second != e.thread;
            makers.erase(made_there);
        }
    }
    CHECK(r.what.threads.size() == 2001);
    CHECK(of_size(r, 3201).size() == 2000);
    CHECK(freed >= 2 * 2000);
    CHECK(foreign == 0);
}

TEST_CASE("toft record: what runs after the first thread's end costs what other calls cost") {
    const recorded made = corner("after-the-end");
    REQUIRE(made.run.status == 0);
    CHECK(of_size(read_all(made.path), 3202).size() == 20000);
    CHECK(std::filesystem::file_size(made.path) < 200000); // a block for each event took 4.8 MiB
}

TEST_CASE("toft record: a child that makes another program before its first call is recorded") {
    const recorded made = corner("fork-and-vfork");
    REQUIRE(made.run.status == 0);
    const std::vector<std::string> paths = children_of(made.path);
    REQUIRE(paths.size() == 1);
    CHECK(of_size(read_all(paths.front()), 3303).size() == 2000);
}

TEST_CASE("toft record: while exec fails, other threads are recorded, and what they lose counts") {
    constexpr std::uint64_t times = 200;
    const recorded made = corner("exec-beside-thread " + std::to_string(times));
    REQUIRE(made.run.status == 0);
    const std::uint64_t calls = 2 * std::stoull(made.run.out);
    const read_back r = read_all(made.path);
    REQUIRE(!of_size(r, 3301).empty());
    const std::uint32_t thread = of_size(r, 3301).front().thread;
    const auto is_of_thread = [&](const heap_event &e) { return e.thread == thread; };
    const auto found =
        static_cast<std::uint64_t>(std::count_if(r.events.begin(), r.events.end(), is_of_thread));
    const std::uint64_t missed = end_of(made.path).missed_events;
    CHECK(found + missed >= calls);
    CHECK(found + missed <= calls + 8); // of its end
    CHECK(missed <= times);
}

TEST_CASE("toft record: what other threads write while exec takes them along isn't a lost end") {
    for (int i = 0; i < 5; ++i) {
        const recorded made = corner("exec-among-threads");
        REQUIRE(made.run.status == 0);
        CHECK(read_all(made.path + ".exec-1").what.incomplete.empty());
    }
}

TEST_CASE("toft record: a child that is forked while another thread's exec fails is recorded") {
    constexpr std::size_t children = 30;
    const recorded made = corner("fork-beside-exec " + std::to_string(children));
    REQUIRE(made.run.status == 0);
    const std::vector<std::string> paths = children_of(made.path);
    CHECK(paths.size() == children);
    for (const std::string &path : paths) CHECK(of_size(read_all(path), 3302).size() == 1);
}

TEST_CASE("toft record: a child doesn't count what its parent has missed") {
    const recorded made = corner("miss-and-fork");
    REQUIRE(made.run.status == 0);
    CHECK(end_of(made.path).missed_events == 50);
    const std::vector<std::string> paths = children_of(made.path);
    REQUIRE(paths.size() == 1);
    CHECK(end_of(paths.front()).missed_events == 0);
}

TEST_CASE(
    "toft record: a child has the command line of its program, and not a title in its place") {
    const recorded made = corner("title");
    REQUIRE(made.run.status == 0);
    const std::vector<std::string> paths = children_of(made.path);
    REQUIRE(paths.size() == 1);
    const std::vector<std::string> words = {TOFT_RECORD_CORNERS, "title"};
    CHECK(read_all(paths.front()).what.command_line == words);
}

TEST_CASE("toft record: a program that the C library ends loses nothing where that can be seen") {
    for (const std::string how : {"assert", "assert-perror", "stack", "daemon"}) {
        CAPTURE(how);
        const recorded made = corner("ends " + how);
        CHECK(made.run.status == (how == "daemon" ? 0 : 128 + SIGABRT));
        const read_back r = read_all(made.path);
        CHECK(r.what.incomplete.empty());
        CHECK(of_size(r, 3501).size() == 1000);
        CHECK(of_size(r, 3502).empty());
    }
}

TEST_CASE("toft record: what is resized to nothing goes before another thread has its memory") {
    const recorded made = corner("vanish");
    REQUIRE(made.run.status == 0);
    const read_back r = read_all(made.path);
    const std::vector<heap_event> objects = of_size(r, 3601);
    REQUIRE(objects.size() == 2);
    const auto gone = std::find_if(r.events.begin(), r.events.end(), [&](const heap_event &e) {
        return e.call == heap_call::free && e.address == objects[0].address;
    });
    REQUIRE(gone != r.events.end());
    CHECK(gone->time_ns < objects[1].time_ns); // which another thread made before the call ended
}

TEST_CASE("toft record: an alignment is the one that the heap gave, whatever was asked for") {
    const recorded made = corner("align");
    REQUIRE(made.run.status == 0);
    const read_back r = read_all(made.path);
    const std::map<std::uint64_t, std::uint32_t> alignment_of = {
        {3701, 16}, {3702, 16}, {3703, 16}, {3704, 32}, {3705, 128}, {3706, 128}, {3707, 16}};
    for (const auto &expected : alignment_of) {
        CAPTURE(expected.first);
        REQUIRE(of_size(r, expected.first).size() == 1);
        CHECK(of_size(r, expected.first).front().alignment == expected.second);
    }
}

TEST_CASE("toft record: of a recursion that is too deep, the inner frames are known") {
    for (const int levels : {1000, 20'000, 70'000}) {
        CAPTURE(levels);
        const recorded made = corner("deep " + std::to_string(levels));
        REQUIRE(made.run.status == 0);
        const read_back r = read_all(made.path);
        const std::vector<heap_event> objects = of_size(r, 3103);
        REQUIRE(objects.size() == 1000);
        const bool is_cut = levels > 1000;
        CHECK(depth(r, objects.front()) >= (is_cut ? 8192 : levels));
        CHECK(objects.back().stack == objects.front().stack);
        // One walk is enough for all that follow it.
        CHECK(end_of(made.path).cut_stacks == (is_cut ? 1 : 0));
        CHECK(contains(made.run.err, "1 time a stack couldn't be followed") == is_cut);
    }
}

TEST_CASE("toft advise, toft export: what the recorder missed, or couldn't follow, is told") {
    const auto told = [](const std::string &path) {
        const std::string profile = scratch("told.gz");
        const run_result advised = run_toft("advise --no-replay '" + path + "'");
        const run_result exported = run_toft("export --pprof '" + profile + "' '" + path + "'");
        CHECK(advised.status == 0);
        CHECK(exported.status == 0);
        const std::string advice = unwrapped(advised.out);
        const auto both = [&](const std::string &words) {
            CHECK(contains(advice, words) == contains(exported.err, words));
            return contains(advice, words);
        };
        return std::pair(both("weren't recorded, most of them in signal handlers"),
                         both("couldn't be followed to its outermost frame"));
    };
    CHECK(told(corner("miss-and-fork").path) == std::pair(true, false));
    CHECK(told(corner("coroutines").path) == std::pair(false, true));
    CHECK(told(record("many").path) == std::pair(false, false));
}

TEST_CASE("toft record: a resize that fails leaves nothing behind") {
    for (const char *options : {"", "--sample 1"}) {
        CAPTURE(options);
        const recorded made = corner("fail-to-resize 100", options);
        REQUIRE(made.run.status == 0);
        const read_back r = read_all(made.path);
        CHECK(of_size(r, 3811).size() == 1);
        CHECK(r.what.missed_events == 0); // there is no room for an address each time
    }
}

TEST_CASE("toft record: without a standard input and with few descriptors there is one file") {
    const recorded made = corner("few-files");
    CAPTURE(made.run.err);
    REQUIRE(made.run.status == 0);
    CHECK(made.run.out == "closed\n");
    CHECK(children_of(made.path).empty()); // nor files of what it was before
    CHECK(read_all(made.path).events.size() >= 300'000);
}

TEST_CASE("toft record --sample: as many objects as live at once are followed") {
    constexpr double count = 400'000;
    const recorded made = corner("keep-many 400000", "--sample 64");
    REQUIRE(made.run.status == 0);
    const read_back r = read_all(made.path);
    const double chance = 1 - std::exp(-61.0 / 64);
    const double spread = std::sqrt(count * chance * (1 - chance));
    const std::vector<heap_event> objects = of_size(r, 61);
    CHECK(std::abs(static_cast<double>(objects.size()) - count * chance) < 6 * spread);
    const auto freed = std::count_if(r.events.begin(), r.events.end(),
                                     [](const heap_event &e) { return e.call == heap_call::free; });
    CHECK(static_cast<std::size_t>(freed) >= objects.size());
    CHECK(end_of(made.path).missed_events == 0);
}

TEST_CASE("toft record: a heap with operators of its own is named, since they may pass malloc by") {
    const std::string words = "'" TOFT_COMMAND "' record -o '" + scratch("operators") +
                              "' -- '" TOFT_RECORD_TARGET "' known";
    const std::string said = "has new and delete of its own";
    CHECK_FALSE(contains(run_shell(words).err, said));
    for (const recorded_module &m : read_all(scratch("operators")).what.modules)
        CHECK_FALSE(contains(m.path, "/recorder.so")); // what asking takes isn't the program's
    const run_result r = run_shell("LD_PRELOAD='" TOFT_OWN_OPERATORS "' " + words);
    CHECK(r.status == 0);
    CHECK(contains(r.err, std::string(TOFT_OWN_OPERATORS) + " " + said));
}

TEST_CASE("toft record: a child's file has its number, and that of what it becomes one more") {
    // The shell's child takes memory for the variable before it becomes the program.
    const recorded made = record_program(
        "/bin/sh",
        "-c '(x=a-text-of-its-own; exec \"$0\" known >/dev/null); :' " TOFT_RECORD_TARGET);
    CAPTURE(made.run.err);
    REQUIRE(made.run.status == 0);
    std::vector<std::string> names = children_of(made.path);
    std::sort(names.begin(), names.end());
    REQUIRE(names.size() == 2);
    const recording before = read_all(names[0]).what, after = read_all(names[1]).what;
    CHECK(names[0] == made.path + "." + std::to_string(before.process_id));
    CHECK(names[1] == names[0] + ".1");
    CHECK(before.command_line.front() == "/bin/sh");
    CHECK(after.command_line.front() == TOFT_RECORD_TARGET);
    CHECK(after.process_id == before.process_id);
}
