// SPDX-License-Identifier: MIT
#include "game.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <future>
#include <vector>

namespace toft::lab {
namespace {

constexpr unsigned least_depth = 4;

unsigned most_depth(unsigned n) { return std::max(n, least_depth + 2); }

std::uint64_t trees_of(unsigned depth, unsigned most) {
    return std::uint64_t{1} << (most - depth + least_depth);
}

std::string stretch_line(unsigned depth, std::uint64_t check) {
    return fmt::format("stretch tree of depth {}\t check: {}\n", depth, check);
}

std::string many_line(unsigned depth, unsigned most, std::uint64_t check) {
    return fmt::format("{}\t trees of depth {}\t check: {}\n", trees_of(depth, most), depth, check);
}

std::string long_lived_line(unsigned depth, std::uint64_t check) {
    return fmt::format("long lived tree of depth {}\t check: {}\n", depth, check);
}

std::uint64_t grow_once(forest &f, unsigned depth) {
    f.plant(depth);
    const std::uint64_t check = f.walk();
    f.fell();
    return check;
}

std::string grow_many(forest_maker *make, unsigned depth, unsigned most) {
    const std::unique_ptr<forest> f = make();
    std::uint64_t check = 0;
    for (std::uint64_t i = 0; i != trees_of(depth, most); ++i) check += grow_once(*f, depth);
    return many_line(depth, most, check);
}

} // namespace

std::string play_game(unsigned n, forest_maker *make) {
    const unsigned most = most_depth(n);
    std::string output = stretch_line(most + 1, grow_once(*make(), most + 1));

    const std::unique_ptr<forest> long_lived = make();
    long_lived->plant(most);

    std::vector<std::future<std::string>> lines; // futures hand an exception on
    for (unsigned depth = least_depth; depth <= most; depth += 2)
        lines.push_back(std::async(std::launch::async, grow_many, make, depth, most));
    for (std::future<std::string> &line : lines) output += line.get();
    output += long_lived_line(most, long_lived->walk());
    long_lived->fell();
    return output;
}

std::string output_of_game(unsigned n) {
    const unsigned most = most_depth(n);
    std::string output = stretch_line(most + 1, nodes_of_perfect_tree(most + 1));
    for (unsigned depth = least_depth; depth <= most; depth += 2)
        output += many_line(depth, most, trees_of(depth, most) * nodes_of_perfect_tree(depth));
    return output + long_lived_line(most, nodes_of_perfect_tree(most));
}

std::uint64_t nodes_of_game(unsigned n) {
    const unsigned most = most_depth(n);
    std::uint64_t nodes = nodes_of_perfect_tree(most + 1) + nodes_of_perfect_tree(most);
    for (unsigned depth = least_depth; depth <= most; depth += 2)
        nodes += trees_of(depth, most) * nodes_of_perfect_tree(depth);
    return nodes;
}

std::uint64_t trees_of_game(unsigned n) {
    const unsigned most = most_depth(n);
    std::uint64_t trees = 2;
    for (unsigned depth = least_depth; depth <= most; depth += 2) trees += trees_of(depth, most);
    return trees;
}

} // namespace toft::lab
