// SPDX-License-Identifier: MIT
#pragma once

#include <spawn.h>
#include <string>
#include <vector>

// What posix_spawn takes.
namespace toft::lab {

struct spawn_actions {
    posix_spawn_file_actions_t actions{};
    spawn_actions() { posix_spawn_file_actions_init(&actions); }
    ~spawn_actions() { posix_spawn_file_actions_destroy(&actions); }
    spawn_actions(const spawn_actions &) = delete;
    spawn_actions &operator=(const spawn_actions &) = delete;
};

// The child leads a process group of its own: what it starts itself can be stopped with it, and
// Ctrl-C reaches the lab alone, which then stops the child.
struct group_leader {
    posix_spawnattr_t flags{};
    group_leader() {
        posix_spawnattr_init(&flags);
        posix_spawnattr_setflags(&flags, POSIX_SPAWN_SETPGROUP);
    }
    ~group_leader() { posix_spawnattr_destroy(&flags); }
    group_leader(const group_leader &) = delete;
    group_leader &operator=(const group_leader &) = delete;
};

inline std::vector<char *> pointers_to(std::vector<std::string> &strings) {
    std::vector<char *> pointers;
    for (std::string &s : strings) pointers.push_back(s.data());
    pointers.push_back(nullptr);
    return pointers;
}

} // namespace toft::lab
