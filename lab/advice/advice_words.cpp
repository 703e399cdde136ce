// SPDX-License-Identifier: MIT
#include "advice_words.hpp"

#include "gain_text.hpp"
#include "percent.hpp"
#include "place_text.hpp"
#include "show/cells.hpp"
#include "sketch.hpp"
#include "weighing.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <ranges>

namespace toft::lab {
namespace {

std::string scope(const advice &a) {
    return a.scope.function.empty() ? "for the program's whole life" : "in " + place_text(a.scope);
}

std::string gain_of_time(const advice &a) {
    const bool has_frees = a.never_freed != a.objects;
    if (!a.replayed || !a.replayed->frees_dropped || !has_frees) return change(a.cpu_percent);
    std::string text = change(a.replayed->frees_kept) + " when each free stays and does nothing";
    if (a.replayed->frees_hooked && has_hook(a))
        text += fmt::format(", {} through {}", change(*a.replayed->frees_hooked),
                            a.in_library ? "a library's hook for memory" : "what calls malloc");
    return text + fmt::format(", {} when the frees go", change(*a.replayed->frees_dropped));
}

std::string gain(const advice &a) { return "CPU time " + gain_of_time(a) + memory(a.peak_percent); }

std::string headline(const advice &a) {
    const std::string objects = counted(a.objects, "object");
    switch (a.what) {
    case remedy::leave:
        return fmt::format("Leave {} as {}{}", objects, a.objects == 1 ? "it is" : "they are",
                           a.scope.function.empty() ? "" : ", " + scope(a));
    case remedy::arena:
        return fmt::format("An arena {} for {}", scope(a), objects);
    case remedy::reap:
        return fmt::format("A reap {} for {}", scope(a), objects);
    case remedy::pool:
        return fmt::format("The shared pool for {}", objects);
    case remedy::inline_buffer:
        return fmt::format("A buffer on the stack {} for {}", scope(a), objects);
    case remedy::reserve:
        return fmt::format("Reserve before filling: {} grew {}", objects,
                           a.growths == 1 ? "once" : with_commas(a.growths) + " times");
    }
    return {};
}

using paragraphs = std::vector<paragraph>;
void tell(paragraphs &out, const std::string &words) { out.push_back({words}); }
void list(paragraphs &out, const std::string &words) { out.back().items.push_back(words); }

void tell_left_out(const advice &a, paragraphs &out) {
    if (!a.left_out || !a.left_out->worth_its_memory) return;
    const left_out_objects &more = *a.left_out;
    tell(out, fmt::format("With the {}{} in it too that {} one by one: CPU time {}{}.",
                          counted(more.objects, "object"),
                          more.number == 0 ? "" : fmt::format(" ({})", more.number),
                          more.objects == 1 ? "comes and goes" : "come and go",
                          change(gain_of_whole(more)), memory(more.peak_percent)));
}

constexpr std::uint64_t least_told = 50; // a fiftieth of the objects, or of their bytes

std::string peak_with_others(const advice &a) {
    return a.peak_percent_with_others
               ? fmt::format("peak memory {}", change_of_region(*a.peak_percent_with_others))
               : "";
}

void tell_others_of_lines(const advice &a, paragraphs &out) {
    if (a.others_of_lines * least_told <= a.objects || !a.peak_percent_with_others) return;
    tell(out,
         fmt::format("Where these lines can't tell {} from {} that they make there on "
                     "another way, {} into it too: {}.",
                     a.objects == 1 ? "it" : "them", counted(a.others_of_lines, "other object"),
                     a.others_of_lines == 1 ? "that comes" : "those come", peak_with_others(a)));
}

void tell_others_by_hook(const advice &a, paragraphs &out) {
    if (a.beside_hook != 0)
        tell(out, fmt::format("{} of them {} made on another way than by what calls malloc: {} "
                              "with malloc and free.",
                              with_commas(a.beside_hook), a.beside_hook == 1 ? "is" : "are",
                              a.beside_hook == 1 ? "it stays" : "they stay"));
    if (a.others_by_hook * least_told <= a.objects &&
        a.other_bytes_by_hook * least_told <= a.bytes && a.others_outliving == 0)
        return;
    const bool one = a.others_by_hook == 1;
    tell(out,
         fmt::format("By way of {}, {} that {} made meanwhile {} into it too, {}{}. The memory "
                     "above is without {}{}.",
                     a.in_library ? "the library's hook" : "what calls malloc",
                     counted(a.others_by_hook, "other object"), one ? "is" : "are",
                     one ? "comes" : "come", sized(a.other_bytes_by_hook),
                     a.lives > 1 ? fmt::format(" in all {} times", with_commas(a.lives)) : "",
                     one ? "it" : "them",
                     a.peak_percent_with_others
                         ? fmt::format("; with {}: {}", one ? "it" : "them", peak_with_others(a))
                         : ""));
    if (a.others_outliving != 0)
        tell(out, fmt::format("{} of them live longer: where those are made, another strategy must "
                              "be current.",
                              with_commas(a.others_outliving)));
}

// By the advice's number, in whatever order replays have put them.
using objects_of_advice = std::map<unsigned, std::uint64_t>;

// The numbers of many are enough: each has its count where it is told itself.
std::string words_on_others(const objects_of_advice &others) {
    constexpr std::size_t many = 3;
    std::vector<std::string> parts;
    for (const auto &[number, objects] : others)
        parts.push_back(others.size() < many
                            ? fmt::format("{} in advice {}", with_commas(objects), number)
                            : std::to_string(number));
    if (parts.size() < many)
        return fmt::format("{} {} made there too, on another way", fmt::join(parts, " and "),
                           others.size() == 1 && others.begin()->second == 1 ? "is" : "are");
    const std::string last = parts.back();
    parts.pop_back();
    return fmt::format("objects of advice {} and {} are made there too, on other ways",
                       fmt::join(parts, ", "), last);
}

// Who changes the line changes those too. What grows there may be the same objects.
std::string others_of_line(const advice &a, const made_objects &m, const advice_report &report) {
    if (a.what == remedy::leave) return {};
    objects_of_advice others, growing, later;
    for (const advice &other : report.lines)
        for (const made_objects &o : other.made) {
            if (other.number == a.number || !same_place(o.by, m.by)) continue;
            objects_of_advice &of = other.what == remedy::reserve ? growing
                                    : a.what == remedy::reserve   ? later
                                                                  : others;
            of[other.number] += o.objects;
        }
    std::vector<std::string> said;
    if (!others.empty()) said.push_back(words_on_others(others));
    for (const auto &[number, objects] : growing)
        said.push_back(fmt::format("{} that {} made there {}: do advice {} first",
                                   with_commas(objects), objects == 1 ? "is" : "are",
                                   objects == 1 ? "grows" : "grow", number));
    for (const auto &[number, objects] : later)
        said.push_back(fmt::format("advice {} is about this line too: do this one first", number));
    return fmt::format("{}", fmt::join(said, "; "));
}

maker_words words_of(const advice &a, const made_objects &m, const advice_report &report) {
    std::vector<std::string> way;
    for (const source_place &p : m.way | std::views::reverse) way.push_back(short_name(p.function));
    return {place_text(m.by),
            with_commas(m.objects),
            sizes(m.smallest, m.largest),
            sized(m.bytes),
            way.empty() ? "" : fmt::format("by way of {}", fmt::join(way, ", ")),
            others_of_line(a, m, report)};
}

// A hook's frees stay, and destructors free what containers hold.
std::string words_on_frees(const advice &a) {
    if (has_hook(a)) return "";
    return std::string(a.cpp ? ": what the text itself frees or deletes there goes"
                             : ": these frees go") +
           (a.frees_others ? ", but for what else they free" : "");
}

void tell_frees(const advice &a, paragraphs &out) {
    if (a.freed_by.empty()) return;
    std::vector<std::string> lines;
    for (const source_place &p : a.freed_by) lines.push_back(place_text(p));
    const std::string more =
        a.more_freeing == 0 ? "" : fmt::format(" and {}", counted(a.more_freeing, "more line"));
    tell(out, fmt::format("{} freed mostly by {}{}{}.", a.objects == 1 ? "It is" : "They are",
                          fmt::join(lines, ", "), more, words_on_frees(a)));
}

// What is only before the end of the program, and would be for each input if there were many.
bool happened_once_in_main(const advice &a) {
    return a.what == remedy::arena && a.lives == 1 && a.never_freed != a.objects &&
           (a.scope.function.empty() || a.scope.function == "main");
}

void tell_end(const advice &a, paragraphs &out) {
    if (a.what == remedy::leave || a.what == remedy::pool || a.what == remedy::reserve) return;
    const bool one = a.objects == 1;
    const std::string dying = one ? "It dies" : "They all die";
    if (a.never_freed == a.objects)
        tell(out, one ? "It is never freed." : "They are never freed.");
    else if (a.end.line == 0 && a.end.function == a.scope.function && !a.end.function.empty())
        tell(out, fmt::format("{} in {}.", dying, short_name(a.scope.function)));
    else if (!a.end.function.empty())
        tell(out, fmt::format("{} in {}, {}at {}.", dying, short_name(a.scope.function),
                              one ? "" : "most of them ", place_text(a.end)));
    tell_frees(a, out);
    if (a.never_freed != 0 && a.never_freed != a.objects)
        tell(out, fmt::format("{} of them {} never freed.", with_commas(a.never_freed),
                              a.never_freed == 1 ? "is" : "are"));
    if (a.lives > 1 && !are_all_in_one_life(a))
        tell(out, fmt::format("This happens {} times, with up to {} at a time.",
                              with_commas(a.lives), counted(a.most_in_a_life, "object")));
    if (happened_once_in_main(a))
        tell(out, "This happened once in what was recorded: where the program does it for each of "
                  "its inputs, reset the arena there.");
    if (a.grows_until_exit)
        tell(out, "Their number grows until the end. If that is a leak, mend it instead.");
}

std::string escape(const escaping_objects &e) {
    return fmt::format("{}: {}{} of {}, {}{}", place_text(e.made.by), e.at_least ? "at least " : "",
                       with_commas(e.escaping), with_commas(e.made.objects),
                       e.freed_by.function.empty() ? "never freed"
                                                   : "freed by " + place_text(e.freed_by),
                       e.same_line ? "; the same line makes advised ones, on another way" : "");
}

bool are_at_least(const std::vector<escaping_objects> &escapes) {
    return std::any_of(escapes.begin(), escapes.end(),
                       [](const escaping_objects &e) { return e.at_least; });
}

void list_escapes(const advice &a, paragraphs &out) {
    for (const escaping_objects &e : a.escapes | std::views::take(told_lines)) list(out, escape(e));
    if (const std::uint64_t more = a.escapes.size() - out.back().items.size() + a.more_escapes;
        more != 0)
        list(out, fmt::format("and some from {}", counted(more, "more line")));
}

// Which of the objects that are to be left as they are live longer.
void tell_survivors(const advice &a, paragraphs &out) {
    if (a.escaping == 0) return;
    tell(out,
         a.objects == 1
             ? "It lives longer:"
             : fmt::format("{}{} of them {} longer:", are_at_least(a.escapes) ? "At least " : "",
                           with_commas(a.escaping), a.escaping == 1 ? "lives" : "live"));
    list_escapes(a, out);
}

void tell_escapes(const advice &a, paragraphs &out) {
    if (a.what == remedy::pool || (a.function == 0 && a.escaping == 0)) return;
    if (a.what == remedy::leave) {
        tell_survivors(a, out);
        return;
    }
    if (a.escaping == 0) {
        tell(out, a.may_escape_unseen
                      ? "No object was seen to outlive it, but calls of it that follow each other "
                        "may look like one here: toft verify tells."
                      : "Nothing that is made there outlives it.");
        return;
    }
    const bool at_least = are_at_least(a.escapes);
    tell(out, fmt::format("{}{} made there {} longer: {}.", at_least ? "At least " : "",
                          counted(a.escaping, "object"), a.escaping == 1 ? "lives" : "live",
                          at_least          ? "keep out of it what these lines make"
                          : a.escaping == 1 ? "keep that out of it"
                                            : "keep them out of it"));
    list_escapes(a, out);
    if (a.may_escape_unseen)
        tell(out, "Calls of it that follow each other may look like one here, so that more may: "
                  "toft verify tells.");
}

// Where the range comes from, unless that is a replay, or none was asked for.
std::string origin(const advice &a, const advice_report &report) {
    if (a.replayed && a.replayed->in_program)
        return "The program was run with these objects in an arena.";
    std::vector<std::string> said;
    const bool were_asked_for = !report.mallocs.empty() || !report.replay_left_out.empty();
    const bool is_estimated = !is_unknown(a.cpu_percent) || !memory(a.peak_percent).empty();
    if (were_asked_for && is_estimated && !a.replayed && a.what != remedy::reserve)
        said.emplace_back("That is a model's estimate, which no replay has confirmed.");
    if (!a.not_in_program.empty())
        said.push_back(
            fmt::format("It couldn't be measured in the program itself: {}.", a.not_in_program));
    return fmt::format("{}", fmt::join(said, " "));
}

std::string words_on_sizes(const advice &a) {
    const bool one = a.objects == 1;
    const std::string in_all =
        one && a.smallest == a.largest ? "" : fmt::format(", {} in all,", sized(a.bytes));
    return fmt::format("{} {}{} and {} made by", one ? "It takes" : "They take",
                       sizes(a.smallest, a.largest), in_all, one ? "is" : "are");
}

advice_words words_of(const advice &a, const advice_report &report) {
    advice_words words;
    words.number = a.number;
    words.what = a.what;
    words.function = short_name(a.scope.function);
    words.is_small = !can_be_worth_it(a);
    words.headline = fmt::format("{}. {}", a.number, headline(a));
    words.made = words_on_sizes(a);
    words.more_makers = a.more_makers;
    words.sketch = a.sketch;
    if (a.what != remedy::leave) {
        words.gain = gain(a);
        words.origin = origin(a, report);
    }
    tell_left_out(a, words.reasons);
    tell_others_by_hook(a, words.reasons);
    tell_others_of_lines(a, words.reasons);
    if (!a.why.empty()) tell(words.reasons, fmt::format("Why: {}.", a.why));
    for (const made_objects &m : a.made) words.makers.push_back(words_of(a, m, report));
    tell_end(a, words.fate);
    tell_escapes(a, words.fate);
    return words;
}

std::string about(const advice_report &report) {
    return fmt::format(
        "{}{} on {}, {} at the peak, {} s of CPU time; {}.{}", report.sampled ? "about " : "",
        counted(report.objects, "object"), counted(report.threads, "thread"),
        report.sampled ? sized_about(report.peak_live_bytes) : sized(report.peak_live_bytes),
        seconds_text(report.processor_seconds), counted(report.recordings, "recording"),
        report.sampled || report.objects == 0
            ? ""
            : fmt::format(" An arena could take {:.1f} % of the objects.", report.region_percent));
}

} // namespace

report_words words_of(const advice_report &report) {
    report_words words;
    words.program = report.program.empty() ? "The program" : report.program;
    words.about = about(report);
    if (report.sampled) return words;
    if (report.objects == 0) {
        words.conclusions = {"Nothing can be said: no object was seen"};
        return words;
    }
    words.mallocs = words_on_mallocs(report);
    if (report.malloc_first) words.conclusions.push_back(promise_of_malloc(report));
    if (report.leave_it)
        words.conclusions.push_back(
            fmt::format("Leave {} as it is: no change was found that gains more than the noise of "
                        "most measurements",
                        report.malloc_first ? "the program's text" : "it"));
    for (const advice &a : report.lines) words.lines.push_back(words_of(a, report));
    if (!std::ranges::is_sorted(report.lines, {}, &advice::number))
        words.closing.emplace_back("Replays have changed the order, but not the numbers, which "
                                   "`toft verify` takes.");
    words.closing.push_back(fmt::format(
        "The gains{}; docs/advice.md says how this was found and what it can't see.",
        are_measured(report.mallocs) ? " of changes are estimates"
                                     : " are estimates. `toft try -- PROGRAM` measures what "
                                       "another malloc gains"));
    return words;
}

} // namespace toft::lab
