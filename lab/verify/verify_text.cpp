// SPDX-License-Identifier: MIT
#include "verify_text.hpp"

#include "advice/place_text.hpp"
#include "advice/sketch.hpp"
#include "show/cells.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sys/wait.h>

namespace toft::lab {
namespace {

constexpr std::size_t most_lines = 12; // of a stack

void print_stack(const std::string &title, const known_stack &stack, const symbol_source &symbols,
                 printer &out) {
    out.text(title, 3);
    std::size_t lines = 0;
    for (const called_from &frame : stack.frames)
        for (const source_place &p : symbols(frame.module, frame.address))
            if (lines++ < most_lines) out.text(place_text(p), 6);
    if (lines > most_lines || stack.is_cut) out.text("...", 6);
}

// "byte 8 of an object of 48 bytes"
std::string used_byte(const use_after_end &u) {
    const std::string object = "an object of " + counted(u.object_bytes, "byte");
    if (u.offset >= u.object_bytes) return "memory behind " + object;
    return fmt::format("byte {} of {}", u.offset, object);
}

std::string what_was_done(const use_after_end &u) {
    switch (u.how) {
    case late_use::read:
        return used_byte(u) + " was read";
    case late_use::write:
        return used_byte(u) + " was written";
    case late_use::free:
        return "an object of " + counted(u.object_bytes, "byte") + " was freed";
    case late_use::resize:
        return "an object of " + counted(u.object_bytes, "byte") + " was resized";
    case late_use::system_call:
        return fmt::format("{} was handed to {}()", used_byte(u), u.system_call);
    }
    return {};
}

void print_finding(const use_after_end &u, const advice &a, const symbol_source &symbols,
                   printer &out) {
    out.heading(fmt::format("After its region's end, {}.", what_was_done(u)));
    print_stack("It was used here, and process " + std::to_string(u.process) + " was ended:",
                u.used, symbols, out);
    print_stack("It was made here:", u.made, symbols, out);
    if (u.ended.frames.empty())
        out.text(fmt::format("The region, a call of {}, ended with its thread.",
                             short_name(a.scope.function)),
                 3);
    else if (u.end_seen_late)
        print_stack(fmt::format("The region, a call of {}, had ended when the program was here:",
                                short_name(a.scope.function)),
                    u.ended, symbols, out);
    else
        print_stack(
            fmt::format("The region, a call of {}, ended here:", short_name(a.scope.function)),
            u.ended, symbols, out);
    if (u.was_freed)
        out.text("It had been freed before: the program itself uses memory that it has freed.", 3);
}

std::string coverage(const verified_run &run, const advice &a) {
    const double share =
        a.objects ? static_cast<double>(run.placed) / static_cast<double>(a.objects) * 100 : 0;
    return fmt::format(
        "{} placed apart, {:.0f} % of as many as the advice was made from, at {} of {}; {} "
        "began, {} ended.",
        counted(run.placed, "object") + (run.placed == 1 ? " was" : " were"), share,
        with_commas(run.sites_seen), counted(run.sites, "site"), counted(run.begun, "region"),
        with_commas(run.ended));
}

// Whether the resets that are advised within a call can be made in this run too.
std::string chances_to_reset(const verified_run &run, const advice &a) {
    const std::string within = fmt::format("Within calls of {}, ", short_name(a.scope.function));
    const std::uint64_t chances = run.lives - std::min(run.lives, run.begun);
    if (chances == 0 && told_calls_apart(run, a) && run.begun > std::max<std::uint64_t>(a.calls, 1))
        return fmt::format("Each call of {} was a region of its own in this run: an arena that is "
                           "released at its end needs no reset.",
                           short_name(a.scope.function));
    if (chances == 0)
        return within + "some object was always alive: the arena couldn't be reset in this run.";
    return within +
           fmt::format("the objects had {} lives, between which the arena can be reset; in what "
                       "was recorded, {}.",
                       with_commas(run.lives), with_commas(a.lives));
}

void print_limits(const verified_run &run, const advice &a, printer &out) {
    if (run.ended_late != 0)
        out.text(
            fmt::format("{} seen only later, as at a call of the heap or at their thread's end: a "
                        "use before that stays unseen.",
                        counted(run.ended_late, "end") + (run.ended_late == 1 ? " was" : " were")));
    if (run.ended_readable != 0)
        out.text(fmt::format("{} stayed readable after the end, so that later uses were unseen: a "
                             "process had as many mappings as it may. A larger vm.max_map_count "
                             "(sysctl) allows more.",
                             counted(run.ended_readable, "region")));
    if (run.other_exits != 0)
        out.text(fmt::format("{} of {} can't be watched: after one of them, an end is seen only at "
                             "a later call of the heap.",
                             counted(run.other_exits, "exit"), short_name(a.scope.function)));
    if (run.begun != 0 && run.ended == 0 && run.other_exits == 0)
        out.text(fmt::format("{} didn't return before the program's end, so that nothing could be "
                             "used after it.",
                             short_name(a.scope.function)));
    if (is_in_loop(a)) out.text(chances_to_reset(run, a));
    if (run.not_placed != 0)
        out.text(fmt::format("{} had no room apart and weren't looked at.",
                             counted(run.not_placed, "object")));
}

std::string outcome(const verified_run &run, const advice &a) {
    if (!run.findings.empty()) return fmt::format("advice {} doesn't hold.", a.number);
    if (saw_enough(run, a))
        return fmt::format(
            "no object of advice {} was used after its region's end{}.", a.number,
            WIFSIGNALED(run.wait_status)
                ? fmt::format(" until signal {} ended the program", WTERMSIG(run.wait_status))
                : "");
    if (!told_calls_apart(run, a))
        return fmt::format("advice {} wasn't verified: {} was inlined, and calls of it that follow "
                           "each other couldn't be told apart. Give that one function "
                           "__attribute__((noinline)), record and advise again.",
                           a.number, short_name(a.scope.function));
    if (run.ended_readable != 0)
        return fmt::format("advice {} wasn't verified: not every region became unreadable at its "
                           "end.",
                           a.number);
    return fmt::format("advice {} wasn't verified: no end of a region was seen. Build {} with "
                       "another optimisation, such as -O1.",
                       a.number, short_name(a.scope.function));
}

} // namespace

void print_verified(const verified_run &run, const advice &a, const symbol_source &symbols,
                    printer &out) {
    if (run.processes == 0 && WIFSIGNALED(run.wait_status))
        return out.text(fmt::format("toft verify: advice {} wasn't verified: signal {} ended the "
                                    "program before it came to {}.",
                                    a.number, WTERMSIG(run.wait_status),
                                    short_name(a.scope.function)));
    if (run.processes == 0)
        return out.text(fmt::format(
            "toft verify: advice {} wasn't verified: no process called {} of the recorded build. "
            "Run the program that was recorded, in a way that comes there.",
            a.number, short_name(a.scope.function)));
    if (run.placed == 0 && run.findings.empty())
        return out.text(fmt::format(
            "toft verify: advice {} wasn't verified: {} was called, and {}.", a.number,
            short_name(a.scope.function),
            run.not_placed ? "no advised object had room apart"
                           : "made none of the advised objects. Run the program in a way that "
                             "makes them"));
    out.text(fmt::format("toft verify: {} {}", outcome(run, a), coverage(run, a)));
    print_limits(run, a, out);
    for (const use_after_end &u : run.findings) print_finding(u, a, symbols, out);
}

} // namespace toft::lab
