// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstring>

namespace toft::lab {

// A buffer, all of whose bytes are its stamp.
struct stamped {
    char *memory = nullptr;
    std::size_t bytes = 0;
    char stamp = 0;

    void write(std::size_t from) const { std::memset(memory + from, stamp, bytes - from); }

    // One byte of each cache line is looked at.
    bool holds() const {
        bool agrees = true;
        for (std::size_t at = 0; at < bytes; at += 64) agrees &= memory[at] == stamp;
        return agrees;
    }
};

} // namespace toft::lab
