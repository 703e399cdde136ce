// SPDX-License-Identifier: MIT
#pragma once

#include "record/recorded_file.hpp"

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

// A recording's file taken apart, so that a test can change what a block says and write it with
// the checksums that it must have then.
struct recording_block {
    toft_block_header header{};
    std::string payload;

    // What lies in the payload at that place; it must be there.
    template <class T>
    T at(std::size_t place) const {
        T value;
        std::memcpy(&value, payload.data() + place, sizeof value);
        return value;
    }
    template <class T>
    void put(std::size_t place, T value) {
        std::memcpy(payload.data() + place, &value, sizeof value);
    }
};

struct recording_parts {
    explicit recording_parts(const std::string &path);

    // Stacks and events as they are before zstd, so that each byte that is changed says something
    // else.
    void decompress();

    std::string bytes() const; // of the whole file
    void write(const std::string &path) const;

    toft_recording_header header{};
    std::vector<recording_block> blocks;
};
