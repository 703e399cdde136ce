// SPDX-License-Identifier: MIT
#pragma once

#include "placed_frees.hpp"
#include "touching.hpp"

#include <string>
#include <vector>

// One replay in one process of its own: the hidden subcommand with which the lab calls itself.
namespace toft::lab {

inline constexpr const char *replay_one_command = "replay-one";
inline constexpr const char *without_heap_flag = "--without-heap";
inline constexpr const char *replay_phase = "heap work";
inline constexpr const char *own_ns_figure = "the replayer's own CPU time, ns";

// The names of placed_frees, in its order.
inline constexpr const char *frees_names[] = {"kept", "hooked", "dropped"};

struct replay_assignment {
    std::string program;   // the path of a compiled one
    std::string allocator; // that must be this process's malloc
    std::string touched;   // one of touching_names
    std::string frees = frees_names[0];
    bool without_heap = false; // only the replayer's own CPU time is wanted, which all cost besides
};

std::vector<std::string> to_arguments(const replay_assignment &);

// To be called in the child: replays, and sends a measurement to the parent. Its first round is on
// a fresh heap, later ones, which a short program has, on what those before left. Without a heap,
// the measurement is a figure, own_ns_figure. Throws when it can't be replayed.
void carry_out(const replay_assignment &);

} // namespace toft::lab
