// SPDX-License-Identifier: MIT
#pragma once

#include "show/output_file.hpp"
#include "show/utf_8.hpp"
#include "thrift.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

// A table in Apache Parquet's format, written row by row.
//
//     "PAR1" | row group | row group | ... | metadata | its length | "PAR1"
//     row group: for each column a page, plain values compressed by zstd
//
// That is the least that the format asks for, and every reader knows it. Memory is one row group.
namespace toft::lab {

// Values of std::int64_t or double, or of those that may be absent (std::optional); or texts.
enum class parquet_type { number, optional_number, real, optional_real, text };

struct parquet_column {
    std::string name;
    parquet_type type = parquet_type::number;
};

class parquet_file {
  public:
    // Throws std::system_error when the place can't be written to; so do the others.
    parquet_file(std::string path, const std::vector<parquet_column> &);

    // A value for each column, each of its type; anything else is a std::logic_error.
    template <class... Values>
    void add(const Values &...values) {
        if (sizeof...(values) != columns_.size()) wrong_row();
        std::size_t i = 0, bytes = 0;
        ((put(columns_[i], values), bytes += columns_[i++].values.size()), ...);
        if (++rows_in_group_ == most_rows_in_group || bytes >= most_bytes_in_group) end_group();
    }

    void complete(); // writes what is left and the metadata: the file is whole, but not in place
    void finish() { out_.finish(); } // puts it in its place

  private:
    static constexpr std::int64_t most_rows_in_group = 1 << 17;
    static constexpr std::size_t most_bytes_in_group = std::size_t{1} << 26;

    struct column {
        parquet_column what;
        std::string values;
        std::vector<bool> present; // where values may be absent, for each row
    };

    [[noreturn]] static void wrong_row();
    static void expect(const column &c, parquet_type type) {
        if (c.what.type != type) wrong_row();
    }
    template <class Value>
    static void append(column &c, const Value &value) { // little-endian, as every machine here
        c.values.append(reinterpret_cast<const char *>(&value), sizeof value);
    }

    static void put(column &c, std::int64_t value) {
        expect(c, parquet_type::number);
        append(c, value);
    }
    static void put(column &c, double value) {
        expect(c, parquet_type::real);
        append(c, value);
    }
    template <class Value>
    static void put(column &c, const std::optional<Value> &value) {
        constexpr bool is_real = std::is_same_v<Value, double>;
        expect(c, is_real ? parquet_type::optional_real : parquet_type::optional_number);
        c.present.push_back(value.has_value());
        if (value) append(c, *value);
    }
    static void put(column &c, std::string_view value) {
        expect(c, parquet_type::text);
        const std::string text = as_utf_8(value); // DuckDB refuses a table with anything else
        append(c, static_cast<std::uint32_t>(text.size()));
        c.values += text;
    }

    void write(std::string_view);
    void end_group();
    thrift_struct write_page(const column &);
    std::string metadata() const;

    output_file out_;
    std::vector<column> columns_;
    std::vector<thrift_struct> groups_;
    std::int64_t rows_ = 0, rows_in_group_ = 0;
    std::int64_t written_ = 0; // bytes
};

} // namespace toft::lab
