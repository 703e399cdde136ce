// SPDX-License-Identifier: MIT
#pragma once

#include "record/format.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

// The file of a recording as a sequence of blocks.
namespace toft::lab {

using recorded_bytes = std::vector<std::byte>;

// More than any recorder writes: numbers beyond them are damage.
inline constexpr std::uint32_t recorded_shift_most = 32;
inline constexpr std::uint64_t recorded_plain_bytes_most = std::uint64_t{1} << 26;
inline constexpr std::uint32_t recorded_depth_most = 1 << 15; // of a stack, in frames

class recorded_file {
  public:
    // Throws std::system_error when it can't be read, std::runtime_error when it is none of ours.
    explicit recorded_file(const std::string &path);
    ~recorded_file();
    recorded_file(const recorded_file &) = delete;
    recorded_file &operator=(const recorded_file &) = delete;

    // Calls back with each block that is whole, in their order, and where its payload begins.
    // Returns why the last one isn't whole; empty: it is. Throws std::runtime_error when one before
    // the last is damaged.
    using visitor = std::function<void(const toft_block_header &, std::uint64_t offset,
                                       std::span<const std::byte> payload)>;
    std::string for_each_block(const visitor &) const;

    void read(std::uint64_t offset, std::span<std::byte>) const;

    [[noreturn]] void damaged(std::uint64_t offset) const;

  private:
    bool has_block_after(std::uint64_t offset) const;
    bool is_whole(const toft_block_header &, std::uint64_t offset, recorded_bytes &payload) const;

    std::string path_;
    int descriptor_;
    std::uint64_t size_ = 0;
};

// Looks at each block, so that it knows how the file ends.
class file_end {
  public:
    void see(const toft_block_header &, std::span<const std::byte> payload);
    bool is_failure() const { return kind_ == toft_block_failure; } // to write more
    bool is_exec() const;            // the process became another program
    std::string why_missing() const; // in words; empty: it is there

  private:
    std::uint32_t kind_ = 0, error_ = 0, reason_ = 0;
};

// Whether a file begins as a recording does. False when it can't be read, or is no regular file.
bool is_recording(const std::string &path);

// The number that the files of its run have in common, which other runs haven't; likewise, empty.
std::optional<std::uint32_t> run_of_recording(const std::string &path);

// The number of the process that is recorded in a recording; 0: it isn't in the file.
std::uint64_t process_of_recording(const std::string &path);

// Throws std::invalid_argument when two of these are of the same process and moment: one recording,
// or a part of it, under two names.
void refuse_one_run_twice(const std::vector<std::string> &paths);

// What lies at the beginning of a payload; what follows it stays.
template <class Struct>
bool take(std::span<const std::byte> &payload, Struct &out) {
    if (payload.size() < sizeof out) return false;
    std::memcpy(&out, payload.data(), sizeof out);
    payload = payload.subspan(sizeof out);
    return true;
}

// An end, of which earlier recorders wrote less.
inline bool take_end(std::span<const std::byte> payload, toft_end_payload &out) {
    out = {};
    if (payload.size() < offsetof(toft_end_payload, switched_events)) return false;
    std::memcpy(&out, payload.data(), std::min(payload.size(), sizeof out));
    return true;
}

// A number of varying length. False at the end, or when there is none.
inline bool take_number(std::span<const std::byte> &from, std::uint64_t &value) {
    value = 0;
    std::size_t taken = 0;
    for (unsigned shift = 0; taken < from.size() && shift < 64; shift += 7) {
        const auto byte = static_cast<std::uint64_t>(from[taken++]);
        value |= (byte & 0x7f) << shift;
        if (byte >= 0x80) continue;
        from = from.subspan(taken);
        return true;
    }
    return false;
}

// Into what was asked for; false when that isn't what comes out.
bool decompress(std::span<const std::byte> from, std::span<std::byte> to);

} // namespace toft::lab
