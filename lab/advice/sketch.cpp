// SPDX-License-Identifier: MIT
#include "sketch.hpp"

#include "making.hpp"
#include "place_text.hpp"
#include "show/cells.hpp"
#include "show/printer.hpp"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <ranges>

namespace toft::lab {
namespace {

constexpr std::size_t most_makings = 3; // that have a line each

struct code_line {
    std::string code, comment = {};
};

constexpr std::size_t most_columns = 73; // 80, with the blanks before them on a terminal

// On lines of its own.
std::string as_comment(const std::string &words) {
    const std::string mark = "// ";
    std::string text = mark;
    for (const char c : wrap(words, most_columns - mark.size()))
        text += c == '\n' ? "\n" + mark : std::string(1, c);
    return text + "\n";
}

// Comments stand beside their code, below each other. One that would reach too far there stands
// above its code, and doesn't push the others to the right.
std::string written(const std::vector<code_line> &lines) {
    std::vector<const code_line *> beside;
    for (const code_line &l : lines)
        if (!l.comment.empty()) beside.push_back(&l);
    std::size_t width = 0;
    const auto reaches_too_far = [&](const code_line *l) {
        return std::max(width, l->code.size()) + 4 + width_of(l->comment) > most_columns;
    };
    std::erase_if(beside, reaches_too_far); // wherever the others are
    for (bool all_fit = false; !all_fit;) {
        width = 0;
        for (const code_line *l : beside) width = std::max(width, l->code.size());
        all_fit = std::erase_if(beside, reaches_too_far) == 0;
    }
    std::string text;
    for (const code_line &l : lines) {
        const bool is_beside = std::ranges::find(beside, &l) != beside.end();
        if (!l.comment.empty() && !is_beside) text += as_comment(l.comment);
        text += is_beside ? fmt::format("{:<{}} // {}\n", l.code, width, l.comment)
                : l.code.starts_with("// ") ? as_comment(l.code.substr(3))
                                            : l.code + "\n";
    }
    return text;
}

bool is_of_program(const advice &a) { return a.scope.function.empty(); }

// Objects that are never freed may be used after their thread's end, and those of a program by what
// it does last.
bool is_never_released(const advice &a) {
    return is_of_program(a) && (a.never_freed != 0 || !a.by_thread);
}

std::string owner_of(const advice &a) {
    if (!is_of_program(a)) return "in " + short_name(a.scope.function);
    if (!a.by_thread) return "at file scope: it is never released";
    return fmt::format("at file scope, one for each thread: it {}",
                       is_never_released(a) ? "is never released" : "lives until that ends");
}

// That of the first thread ends before static objects do.
std::string owner_of_destroyed(const advice &a) {
    const bool ends_early = is_of_program(a) && !is_never_released(a);
    return owner_of(a) + (ends_early ? "; what a static object holds must not be in it" : "");
}

// What stands before the owner's declaration.
std::string storage_of(const advice &a, bool cpp) {
    if (!is_of_program(a) || !a.by_thread) return "";
    return cpp ? "thread_local " : "_Thread_local ";
}

// A static object would be destroyed before what other ones still use.
std::string owner_in_cpp(const advice &a, const std::string &type, const std::string &name) {
    return storage_of(a, true) + (is_never_released(a)
                                      ? fmt::format("{0} &{1} = *new {0};", type, name)
                                      : fmt::format("{} {};", type, name));
}

// Not only a line: others may still be used where most of them are freed. Calls that follow each
// other without an event between them look like one, so of a function that may be called again it
// isn't known whether there is a loop.
std::string after_each(const advice &a) {
    const std::string file = std::filesystem::path(a.end.file).filename().string();
    const bool has_line = !file.empty() && a.end.line != 0;
    const std::string line = has_line ? fmt::format("after {}:{}, ", file, a.end.line) : "";
    const char *none = a.others_by_hook == 0 ? "none" : "nothing that came into it";
    if (is_of_program(a) || a.scope.function == "main")
        return fmt::format("each of the {} times, {}when {} is used any more", with_commas(a.lives),
                           line, none);
    return fmt::format("{}{} and {} is used any more", line,
                       has_line ? "if that line is in a loop, not the function's last,"
                                : "where they are made in a loop",
                       none);
}

std::string before_return(const advice &a) {
    if (is_of_program(a)) return "at the thread's end";
    return fmt::format("before {} returns, on each way out", short_name(a.scope.function));
}

// An arena that is reset is current for one round at a time: a use that ends first can make nothing
// in it afterwards.
std::string where_use_begins(const advice &a, bool cpp) {
    if (is_in_loop(a))
        return cpp ? "in a block for each round, which ends before the reset; "
                   : "where each round begins; ";
    if (!is_of_program(a)) return "";
    return a.by_thread ? "where each thread begins; " : "in main; ";
}

std::string by_the_hook(const advice &a, bool cpp) {
    const std::string where = where_use_begins(a, cpp);
    if (a.in_library)
        return where + "the library's hook for memory calls toft_current_alloc, _resize and _free";
    std::vector<std::string> names;
    for (const source_place &p : a.wrappers) names.push_back(short_name(p.function));
    return fmt::format("{}{}, and what frees and resizes, call toft_current_alloc or _calloc, "
                       "_free and _resize",
                       where, fmt::join(names, ", "));
}

// A type of its own that allocates, so that no function has to be handed the arena.
bool has_type(const making &m) {
    return m.how == making::by::container || m.how == making::by::shared;
}

void add_other_makings(std::vector<code_line> &code, std::span<const making> ways) {
    std::vector<std::string> names;
    for (const making &m : ways | std::views::drop(most_makings))
        names.push_back(m.was.substr(0, m.was.find(" was")));
    if (!names.empty()) code.push_back({fmt::format("// likewise {}", fmt::join(names, ", "))});
}

// Lines of one sketch may stand in one function: "object" is followed by "object2".
std::string with_own_name(std::string code, std::map<std::string, int> &names) {
    const std::size_t end = code.find(" = ");
    if (end == code.npos) return code; // a container, of which there is one of each kind
    const std::size_t begin = code.find_last_of(" *", end - 1) + 1;
    if (const int already = names[code.substr(begin, end - begin)]++; already != 0)
        code.insert(end, std::to_string(already + 1));
    return code;
}

void add_makings(std::vector<code_line> &code, std::span<const making> ways,
                 std::string (*code_of)(const making &)) {
    std::map<std::string, int> names;
    for (const making &m : ways | std::views::take(most_makings))
        code.push_back({with_own_name(code_of(m), names), "where " + m.was});
    add_other_makings(code, ways);
}

// However few are resized: realloc must not be given memory of an arena. What it made of NULL is in
// the recording as malloc's, and may be resized by the same call.
void add_resizing(std::vector<code_line> &code, const advice &a, const char *arena) {
    if (a.resizes == 0 || has_hook(a)) return;
    code.push_back({fmt::format("bytes = toft_arena_resize({}, bytes, old_n, n, 16);", arena),
                    "where realloc was, which knew the old size; also of NULL, with old_n 0"});
}

// A C library that is one header is compiled into the program, and nothing but that tells it from
// the program's own text. Most of them take functions for memory.
void add_hint_at_header(std::vector<code_line> &code, const advice &a) {
    std::map<std::string, std::uint64_t> headers;
    for (const made_objects &m : a.made)
        if (m.by.file.ends_with(".h") && m.by.file != a.scope.file &&
            m.by.function.find("::") == std::string::npos)
            headers[m.by.file] += m.objects;
    for (const auto &[file, objects] : headers)
        if (objects * 2 > a.objects)
            code.push_back({fmt::format("// or, if {} is a library that takes functions for "
                                        "memory, by those: see docs/adopting.md",
                                        std::filesystem::path(file).filename().string())});
}

// A container that is made far from the arena must find it.
void add_makings_in_cpp(std::vector<code_line> &code, const advice &a,
                        std::span<const making> ways) {
    add_makings(code, ways, code_in_cpp);
    const auto far = std::find_if(ways.begin(), ways.end(),
                                  [](const making &m) { return has_type(m) && !m.in_scope; });
    if (far != ways.end())
        code.push_back({"toft::use use(arena);",
                        fmt::format("where it can't be handed on{}: {} finds it",
                                    is_in_loop(a) ? ", in a block that ends before the reset" : "",
                                    type_by_current(*far))});
}

std::string place_in_cpp(const advice &a, std::span<const making> ways, const char *memory = "") {
    if (is_of_program(a)) return owner_of_destroyed(a);
    const bool handed_on =
        std::ranges::any_of(ways, [](const making &m) { return !m.in_scope && !has_type(m); });
    return fmt::format("{}, before what uses it{}{}; its end frees what it holds", owner_of(a),
                       handed_on ? ", which takes it as toft::arena &" : "", memory);
}

void add_arena_in_cpp(std::vector<code_line> &code, const advice &a, std::span<const making> ways) {
    code.push_back({"#include <toft/toft.hpp>"});
    code.push_back({owner_in_cpp(a, "toft::arena", "arena"), place_in_cpp(a, ways)});
    if (has_hook(a)) code.push_back({"toft::use use(arena);", by_the_hook(a, true)});
    add_makings_in_cpp(code, a, ways);
    if (!has_hook(a)) add_hint_at_header(code, a);
    add_resizing(code, a, "arena.c_arena()");
    if (is_in_loop(a)) code.push_back({"arena.reset();", after_each(a)});
}

bool are_in_several_files(const advice &a) {
    return std::ranges::any_of(
        a.made, [&](const made_objects &m) { return m.by.file != a.made.front().by.file; });
}

void add_arena_in_c(std::vector<code_line> &code, const advice &a, std::span<const making> ways) {
    code.push_back({has_hook(a) ? "#include <toft/current.h>" : "#include <toft/arena.h>"});
    const bool here = is_of_program(a) || std::ranges::all_of(ways, &making::in_scope);
    code.push_back({storage_of(a, false) + "toft_arena arena = TOFT_ARENA_INIT;",
                    owner_of(a) + (here ? "" : ", which hands &arena to what allocates in it")});
    if (has_hook(a))
        code.push_back({"toft_current_use use = toft_current_push(toft_strategy_of_arena(&arena));",
                        by_the_hook(a, false)});
    if (is_of_program(a) && !has_hook(a) && are_in_several_files(a))
        code.push_back({"extern " + storage_of(a, false) + "toft_arena arena;",
                        "in a header, for all files that make its objects"});
    add_makings(code, ways, code_in_c);
    if (!has_hook(a)) add_hint_at_header(code, a);
    add_resizing(code, a, "&arena");
    if (has_hook(a))
        code.push_back({"toft_current_pop(use);", is_in_loop(a) ? "where each round ends" : ""});
    if (is_in_loop(a)) code.push_back({"toft_arena_reset(&arena);", after_each(a)});
    // Memory that a release gives back stays warm, so that the next call has it for nanoseconds.
    if (!is_never_released(a)) code.push_back({"toft_arena_release(&arena);", before_return(a)});
}

std::string arena(const advice &a, std::span<const making> ways, bool cpp) {
    if (has_hook(a)) ways = {}; // one place to change, instead of theirs
    std::vector<code_line> code;
    if (cpp)
        add_arena_in_cpp(code, a, ways);
    else
        add_arena_in_c(code, a, ways);
    return written(code);
}

std::string reap(const advice &a, bool cpp) {
    if (cpp)
        return written({{"#include <toft/toft.hpp>"},
                        {owner_in_cpp(a, "toft::reap", "reap"), owner_of_destroyed(a)},
                        {"toft::list<T, toft::reap> list(reap);", "what it erases is used again"}});
    const bool aligned = a.alignment > malloc_alignment;
    std::vector<code_line> code{
        {"#include <toft/reap.h>"},
        {storage_of(a, false) + "toft_reap reap = TOFT_REAP_INIT;", owner_of(a)}};
    if (aligned)
        code.push_back(
            {fmt::format("T *object = toft_reap_alloc(&reap, sizeof *object, {});", a.alignment),
             "where aligned_alloc was"});
    else
        code.push_back({"T *object = toft_reap_new(&reap, T);"});
    if (a.zeroed != 0) code.push_back({"*object = (T){0};", "where calloc was"});
    code.push_back(
        {aligned ? fmt::format("toft_reap_free(&reap, object, sizeof *object, {});", a.alignment)
                 : "toft_reap_delete(&reap, object);",
         "its slot is used again"});
    if (!is_never_released(a)) code.push_back({"toft_reap_release(&reap);", before_return(a)});
    return written(code);
}

std::string inline_buffer(const advice &a, std::span<const making> ways, bool cpp) {
    // Each call has its own buffer: the peak of the region counts all calls and threads together.
    const std::uint64_t bytes = std::bit_ceil(std::max<std::uint64_t>(room_for_a_life(a), 64));
    if (!cpp) {
        const bool here = std::ranges::all_of(ways, &making::in_scope);
        std::vector<code_line> code{
            {fmt::format("_Alignas({}) char buffer[{}]{};", std::max(a.alignment, malloc_alignment),
                         bytes, a.zeroed == 0 ? "" : " = {0}"),
             owner_of(a) + (here ? "" : ", which hands it to what fills it") +
                 (a.zeroed == 0 ? "; malloc only what is larger"
                                : "; calloc was, and is for what is larger")}};
        if (a.zeroed != 0 && is_in_loop(a))
            code.push_back({"memset(buffer, 0, sizeof buffer);", after_each(a)});
        if (a.resizes != 0)
            code.push_back(
                {"// where realloc was: what outgrows the buffer is copied to malloc's"});
        return written(code);
    }
    std::vector<code_line> code{{"#include <toft/toft.hpp>"},
                                {fmt::format("toft::inline_arena<{}> arena;", bytes),
                                 place_in_cpp(a, ways, ", on the stack")}};
    add_makings_in_cpp(code, a, ways);
    add_resizing(code, a, "arena.c_arena()");
    if (is_in_loop(a)) code.push_back({"arena.reset();", after_each(a)});
    return written(code);
}

std::string reserve(const advice &a, bool cpp) {
    if (cpp) return "v.reserve(n); // before it is filled\n";
    return written({{"capacity = n;", fmt::format("known before the loop, or doubled: not grown {} "
                                                  "times",
                                                  with_commas(a.growths))}});
}

std::string pool(const advice &a, bool cpp) {
    if (cpp)
        return written({{"#include <toft/pool.hpp>"},
                        {"auto *object = toft::pool::shared().make<T>();", "on any thread"},
                        {"toft::pool::shared().destroy(object);", "on any other"}});
    if (a.alignment > malloc_alignment)
        return written(
            {{"#include <toft/pool.h>"},
             {fmt::format("T *object = toft_pool_alloc_aligned(toft_pool_shared(), sizeof *object, "
                          "{});",
                          a.alignment),
              "where aligned_alloc was"},
             {fmt::format("toft_pool_free_aligned(toft_pool_shared(), object, sizeof *object, {});",
                          a.alignment),
              "on any thread"}});
    const code_line made =
        a.zeroed == 0
            ? code_line{"T *object = toft_pool_alloc(toft_pool_shared(), sizeof *object);"}
            : code_line{"T *object = toft_pool_calloc(toft_pool_shared(), 1, sizeof *object);",
                        "where calloc was"};
    return written(
        {{"#include <toft/pool.h>"},
         made,
         {"toft_pool_free(toft_pool_shared(), object, sizeof *object);", "on any thread"}});
}

} // namespace

bool are_all_in_one_life(const advice &a) { return a.most_in_a_life * 10 > a.objects * 9; }

bool is_in_loop(const advice &a) {
    return a.lives > std::max<std::uint64_t>(a.calls, 1) && !are_all_in_one_life(a);
}

std::string sketch_of(const advice &a, std::span<const made_objects> made, bool cpp) {
    const bool of_rust = a.scope.is_rust || (!made.empty() && made.front().by.is_rust);
    if (of_rust && a.what != remedy::leave)
        return "// none: Toft's strategies are for C, C++ and Go, and this is Rust\n";
    switch (a.what) {
    case remedy::leave:
        break;
    case remedy::arena:
        return arena(a, makings_of(a, made), cpp);
    case remedy::reap:
        return reap(a, cpp);
    case remedy::pool:
        return pool(a, cpp);
    case remedy::inline_buffer:
        return inline_buffer(a, makings_of(a, made), cpp);
    case remedy::reserve:
        return reserve(a, cpp);
    }
    return {};
}

} // namespace toft::lab
