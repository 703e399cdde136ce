// SPDX-License-Identifier: MIT
// A loop that answers requests, one a line of standard input, as a server would:
//
//     $ echo 'GET /greet?name=Ada&times=2' | example_requests
//     200 hello Ada, hello Ada
//
// Whatever a request needs (strings, a map of its parameters, the answer) lies in one arena, and
// goes at the end of the loop's body. The first kilobytes are in the arena object itself, so that
// an ordinary request takes no memory from anywhere; an extraordinary one grows into chunks, which
// the next request reuses. One that asks for more than the arena's limit gets an error as its
// answer, and the server goes on.
//
// README.md beside this file says how it is compiled.
#include <algorithm>
#include <charconv>
#include <functional>
#include <iostream>
#include <map>
#include <new>
#include <string>
#include <string_view>

#include <toft/toft.hpp>

namespace {

using text = std::basic_string<char, std::char_traits<char>, toft::allocator<char>>;
using parameters = std::map<std::string_view, std::string_view, std::less<>,
                            toft::allocator<std::pair<const std::string_view, std::string_view>>>;

struct request {
    std::string_view path;
    parameters given;
};

std::string_view take_until(std::string_view &from, char separator) {
    std::string_view taken = from.substr(0, from.find(separator));
    from.remove_prefix(std::min(from.size(), taken.size() + 1));
    return taken;
}

// The line must live as long as the request: it is in the arena too.
request parse(std::string_view line, toft_arena *arena) {
    take_until(line, ' '); // the method
    request parsed = {take_until(line, '?'), parameters(arena)};
    while (!line.empty()) {
        std::string_view value = take_until(line, '&');
        std::string_view name = take_until(value, '=');
        parsed.given[name] = value;
    }
    return parsed;
}

text answer(const request &asked, toft_arena *arena) {
    auto given = [&](std::string_view name, std::string_view otherwise) {
        auto found = asked.given.find(name);
        return found == asked.given.end() ? otherwise : found->second;
    };
    text body(arena);
    if (asked.path != "/greet") return body.append("404 no such path: ").append(asked.path);
    std::string_view times = given("times", "1");
    unsigned count = 0;
    const char *end = times.data() + times.size();
    const bool is_number = std::from_chars(times.data(), end, count).ptr == end;
    if (!is_number || count == 0)
        return body.append("400 times is not a number above 0: ").append(times);
    body += "200 ";
    for (unsigned i = 0; i < count; i++)
        body.append(i == 0 ? "hello " : ", hello ").append(given("name", "you"));
    return body;
}

} // namespace

int main() {
    toft::inline_arena<4096> arena({.limit_bytes = 16 << 20});
    for (std::string line; std::getline(std::cin, line);) {
        toft::scope one_request(arena);
        try {
            request asked = parse(arena.copy(line), arena.c_arena());
            std::cout << answer(asked, arena.c_arena()) << '\n';
        } catch (const std::bad_alloc &) {
            std::cout << "500 the request takes too much memory\n";
        }
    }
    toft::arena_stats stats = arena.stats();
    std::cerr << "taken from the system: " << stats.upstream_allocations << " chunks\n";
}
