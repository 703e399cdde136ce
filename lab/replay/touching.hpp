// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

// How a replay uses the objects: nobody recorded what the program did with them. What a malloc
// gains by its layout shows only when they are used, so a prediction is made for each of these
// models.
namespace toft::lab {

enum class touching : std::uint8_t {
    none,
    headers, // the first 16 bytes: written when it is made, read when it goes
    whole,   // every line of the cache, likewise
};

// In the order of `touching`.
inline constexpr const char *touching_names[] = {"none", "headers", "whole"};

inline constexpr std::size_t header_bytes = 16;
inline constexpr std::size_t line_bytes = 64;

// Positions are cut by the mask, so that an object which isn't there can stand for any size.
inline void write_object(touching how, char *object, std::uint64_t bytes, std::uint64_t mask) {
    if (how == touching::none || bytes == 0) return;
    volatile char *at = object;
    at[0] = 1;
    if (how == touching::headers) {
        at[(bytes < header_bytes ? bytes : header_bytes) - 1] = 1;
        return;
    }
    for (std::uint64_t i = line_bytes; i < bytes; i += line_bytes) at[i & mask] = 1;
    at[(bytes - 1) & mask] = 1;
}

inline void read_object(touching how, const char *object, std::uint64_t bytes, std::uint64_t mask) {
    if (how == touching::none || bytes == 0) return;
    const volatile char *at = object;
    static_cast<void>(at[0]);
    if (how == touching::headers) return;
    for (std::uint64_t i = line_bytes; i < bytes; i += line_bytes) static_cast<void>(at[i & mask]);
}

} // namespace toft::lab
