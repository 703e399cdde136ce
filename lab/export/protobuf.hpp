// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// A message of protocol buffers, as it is written. A profile needs numbers, texts and messages in
// messages, so this does without the library and its compiler.
namespace toft::lab {

class protobuf {
  public:
    // A number that is 0 is left out: that is what a reader takes it for.
    void number(unsigned field, std::uint64_t value) {
        if (value == 0) return;
        varint(std::uint64_t{field} << 3);
        varint(value);
    }
    void text(unsigned field, std::string_view bytes) {
        varint(std::uint64_t{field} << 3 | has_length);
        varint(bytes.size());
        bytes_ += bytes;
    }
    void message(unsigned field, const protobuf &m) { text(field, m.bytes_); }
    void numbers(unsigned field, const std::vector<std::uint64_t> &values) {
        protobuf packed;
        for (const std::uint64_t v : values) packed.varint(v);
        message(field, packed);
    }

    const std::string &bytes() const { return bytes_; }

  private:
    static constexpr std::uint64_t has_length = 2;

    void varint(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>((value & 0x7f) | 0x80);
        bytes_ += static_cast<char>(value);
    }

    std::string bytes_;
};

} // namespace toft::lab
