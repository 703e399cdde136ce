// SPDX-License-Identifier: MIT
#pragma once

#include "forest.hpp"

#include <string>

// The Benchmarks Game's program: it makes, walks and frees a stretch tree of depth N + 1, then
// makes a long-lived tree of depth N, which is walked at the very end; in between, for each depth
// from 4 to N in steps of 2, 2^(N - depth + 4) trees, the depths side by side in a thread each. An
// N below 6 counts as 6. Go's is go/internal/binarytrees/game.go.
namespace toft::lab {

constexpr std::uint64_t nodes_of_perfect_tree(unsigned depth) {
    return (std::uint64_t{2} << depth) - 1;
}

// Plays it and returns its output.
std::string play_game(unsigned n, forest_maker *make);

// What the output has to be, by counting.
std::string output_of_game(unsigned n);

// The number of all nodes, and of all trees, that the game makes: the many trees, the stretch tree
// and the long-lived one.
std::uint64_t nodes_of_game(unsigned n);
std::uint64_t trees_of_game(unsigned n);

} // namespace toft::lab
