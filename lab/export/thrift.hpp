// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// A struct in Thrift's compact protocol, as it is written: Parquet's metadata are such structs.
// Fields come in the order of their numbers.
namespace toft::lab {

class thrift_struct {
  public:
    void number(unsigned field, std::int32_t value) {
        begin(field, int32_type);
        varint(folded(value));
    }
    void number64(unsigned field, std::int64_t value) {
        begin(field, int64_type);
        varint(folded(value));
    }
    void text(unsigned field, std::string_view bytes) {
        begin(field, binary_type);
        add_text(bytes);
    }
    void structure(unsigned field, const thrift_struct &value) {
        begin(field, struct_type);
        bytes_ += value.bytes();
    }
    void numbers(unsigned field, const std::vector<std::int32_t> &values) {
        begin_list(field, int32_type, values.size());
        for (const std::int32_t v : values) varint(folded(v));
    }
    void texts(unsigned field, const std::vector<std::string> &values) {
        begin_list(field, binary_type, values.size());
        for (const std::string &v : values) add_text(v);
    }
    void structures(unsigned field, const std::vector<thrift_struct> &values) {
        begin_list(field, struct_type, values.size());
        for (const thrift_struct &v : values) bytes_ += v.bytes();
    }

    std::string bytes() const { return bytes_ + '\0'; } // the end of its fields

  private:
    enum type : unsigned {
        int32_type = 5,
        int64_type = 6,
        binary_type = 8,
        list_type = 9,
        struct_type = 12,
    };

    // Small numbers of either sign become small.
    static std::uint64_t folded(std::int64_t v) {
        return static_cast<std::uint64_t>(v) << 1 ^ static_cast<std::uint64_t>(v >> 63);
    }
    void varint(std::uint64_t v) {
        for (; v >= 0x80; v >>= 7) bytes_ += static_cast<char>((v & 0x7f) | 0x80);
        bytes_ += static_cast<char>(v);
    }
    void begin(unsigned field, type t) { // by its distance from the last one, 15 at most
        bytes_ += static_cast<char>((field - last_field_) << 4 | t);
        last_field_ = field;
    }
    void begin_list(unsigned field, type of, std::size_t count) {
        constexpr std::size_t most_in_a_nibble = 14;
        begin(field, list_type);
        if (count <= most_in_a_nibble) {
            bytes_ += static_cast<char>(count << 4 | of);
        } else {
            bytes_ += static_cast<char>(0xf0 | of);
            varint(count);
        }
    }
    void add_text(std::string_view bytes) {
        varint(bytes.size());
        bytes_ += bytes;
    }

    std::string bytes_;
    unsigned last_field_ = 0;
};

} // namespace toft::lab
