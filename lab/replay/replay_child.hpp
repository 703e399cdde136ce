// SPDX-License-Identifier: MIT
#pragma once

#include "placed_frees.hpp"
#include "touching.hpp"

#include <string>
#include <vector>

// One replay in one process of its own: the hidden subcommand with which the lab calls itself.
namespace toft::lab {

inline constexpr const char *replay_one_command = "replay-one";
inline constexpr const char *replay_phase = "heap work";
inline constexpr const char *own_ns_figure = "the replayer's own CPU time, ns";

// A process that is asked for its own CPU time replays nothing else. The rows of a round share it:
// as each has it from the same process, its noise isn't in what they differ by.
inline constexpr const char *ask_own_ns = "ask";

// The names of placed_frees, in its order.
inline constexpr const char *frees_names[] = {"kept", "hooked", "dropped"};

struct replay_assignment {
    std::string program;   // the path of a compiled one
    std::string allocator; // that must be this process's malloc
    std::string touched;   // one of touching_names
    std::string frees = frees_names[0];
    std::string own_ns = ask_own_ns; // the replayer's own CPU time, to be taken off
};

std::vector<std::string> to_arguments(const replay_assignment &);

// To be called in the child: replays, and sends a measurement to the parent. Its first round is on
// a fresh heap, later ones, which a short program has, on what those before left. Throws when it
// can't be replayed.
void carry_out(const replay_assignment &);

} // namespace toft::lab
