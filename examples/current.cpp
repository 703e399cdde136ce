// SPDX-License-Identifier: MIT
// A parser that knows nothing of arenas: its tree's containers are made by default. Whoever calls
// it says where the tree lies, and keeps what they need of it.
//
//     printf '(a (b c) d)\n((x) y)\n' | example_current
//
// README.md beside this file says how it is compiled.
#include <iostream>
#include <list>
#include <stdexcept>
#include <string>
#include <string_view>

#include <toft/arena.hpp>
#include <toft/current.hpp>

namespace {

using text = std::basic_string<char, std::char_traits<char>, toft::current_allocator<char>>;

struct node {
    text name;
    std::list<node, toft::current_allocator<node>> children;
};

constexpr unsigned depth_max = 1000; // the functions that walk along a tree call themselves

node parse(std::string_view &rest, unsigned depth = 0) {
    if (depth > depth_max) throw std::length_error("too deep");
    node parsed;
    while (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);
    if (!rest.starts_with('(')) {
        const std::size_t length = std::min(rest.find_first_of(" ()"), rest.size());
        parsed.name = rest.substr(0, length);
        rest.remove_prefix(length);
        return parsed;
    }
    rest.remove_prefix(1);
    while (!rest.empty() && rest[0] != ')') {
        parsed.children.push_back(parse(rest, depth + 1));
        if (rest.starts_with(' ')) rest.remove_prefix(1);
    }
    if (!rest.empty()) rest.remove_prefix(1);
    return parsed;
}

// The longest way from the root to a leaf, as a text of its own.
text deepest(const node &from, std::size_t &depth) {
    text longest = from.name;
    depth = 0;
    for (const node &child : from.children) {
        std::size_t below;
        text found = deepest(child, below);
        if (below + 1 <= depth) continue;
        depth = below + 1;
        longest = from.name + "/" + found;
    }
    return longest;
}

} // namespace

int main() {
    toft::arena arena;
    text deepest_of_all; // made outside of all uses: on the shared pool
    std::size_t most = 0;
    for (std::string line; std::getline(std::cin, line);) {
        try {
            toft::use here(arena);
            std::string_view rest = line;
            const node root = parse(rest);
            std::size_t depth;
            const text found = deepest(root, depth);
            if (depth > most) deepest_of_all = found; // a copy into its own memory
            if (depth > most) most = depth;
        } catch (const std::length_error &error) {
            std::cerr << "current: " << error.what() << '\n';
        }
        arena.reset();
    }
    std::cout << most << ' ' << deepest_of_all << '\n';
    return arena.stats().used_bytes == 0 ? 0 : 1;
}
