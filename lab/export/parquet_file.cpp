// SPDX-License-Identifier: MIT
#include "parquet_file.hpp"

#include "page_compression.hpp"

#include <stdexcept>

namespace toft::lab {
namespace {

// The numbers of parquet.thrift, in github.com/apache/parquet-format.
namespace field {
enum : unsigned { file_version = 1, file_schema, file_rows, file_groups, file_maker = 6 };
enum : unsigned { schema_type = 1, schema_repetition = 3, schema_name, schema_children };
enum : unsigned { schema_converted = 6 };
enum : unsigned { group_columns = 1, group_bytes, group_rows };
enum : unsigned { chunk_offset = 2, chunk_metadata };
enum : unsigned { column_type = 1, column_encodings, column_path, column_codec, column_values };
enum : unsigned { column_plain_bytes = 6, column_bytes, column_page = 9 };
enum : unsigned { page_type = 1, page_plain_bytes, page_bytes, page_data = 5 };
enum : unsigned { data_values = 1, data_encoding, data_definitions, data_repetitions };
} // namespace field

constexpr const char *mark = "PAR1";
constexpr int plain = 0, run_length = 3; // encodings
constexpr int required = 0, optional = 1;

int physical_type(parquet_type type) {
    constexpr int int64 = 2, floating = 5, byte_array = 6;
    switch (type) {
    case parquet_type::real:
    case parquet_type::optional_real:
        return floating;
    case parquet_type::text:
        return byte_array;
    default:
        return int64;
    }
}

bool may_be_absent(const parquet_column &c) {
    return c.type == parquet_type::optional_number || c.type == parquet_type::optional_real;
}

thrift_struct schema_of(const parquet_column &c) {
    thrift_struct element;
    element.number(field::schema_type, physical_type(c.type));
    element.number(field::schema_repetition, may_be_absent(c) ? optional : required);
    element.text(field::schema_name, c.name);
    constexpr int utf8 = 0;
    if (c.type == parquet_type::text) element.number(field::schema_converted, utf8);
    return element;
}

std::string little_endian(std::uint32_t number) {
    std::string bytes;
    for (unsigned shift = 0; shift != 32; shift += 8) bytes += static_cast<char>(number >> shift);
    return bytes;
}

// Which rows have a value: one run of single bits, in groups of eight, and before it its length.
std::string definition_levels(const std::vector<bool> &present) {
    const std::size_t groups = (present.size() + 7) / 8;
    std::string run;
    std::uint64_t header = groups << 1 | 1;
    for (; header >= 0x80; header >>= 7) run += static_cast<char>((header & 0x7f) | 0x80);
    run += static_cast<char>(header);
    std::vector<unsigned char> bits(groups);
    for (std::size_t i = 0; i != present.size(); ++i)
        if (present[i]) bits[i / 8] = static_cast<unsigned char>(bits[i / 8] | 1U << i % 8);
    run.append(bits.begin(), bits.end());
    return little_endian(static_cast<std::uint32_t>(run.size())) + run;
}

} // namespace

parquet_file::parquet_file(std::string path, const std::vector<parquet_column> &columns)
    : out_(std::move(path)) {
    for (const parquet_column &c : columns) columns_.push_back({c, {}, {}});
    write(mark);
}

void parquet_file::wrong_row() { throw std::logic_error("a row that doesn't fit its table"); }

void parquet_file::write(std::string_view bytes) {
    out_.append(bytes);
    written_ += static_cast<std::int64_t>(bytes.size());
}

thrift_struct parquet_file::write_page(const column &c) {
    const std::string values = definition_levels(c.present) + c.values;
    const std::string_view content = may_be_absent(c.what) ? std::string_view(values) : c.values;
    const std::string packed = compressed_page(content);
    const auto rows = static_cast<std::int32_t>(rows_in_group_);
    thrift_struct data, header;
    data.number(field::data_values, rows);
    data.number(field::data_encoding, plain);
    data.number(field::data_definitions, run_length);
    data.number(field::data_repetitions, run_length);
    constexpr int data_page = 0;
    header.number(field::page_type, data_page);
    header.number(field::page_plain_bytes, static_cast<std::int32_t>(content.size()));
    header.number(field::page_bytes, static_cast<std::int32_t>(packed.size()));
    header.structure(field::page_data, data);
    const std::string header_bytes = header.bytes();
    const auto header_size = static_cast<std::int64_t>(header_bytes.size());

    thrift_struct column_metadata, chunk;
    column_metadata.number(field::column_type, physical_type(c.what.type));
    column_metadata.numbers(field::column_encodings, {plain, run_length});
    column_metadata.texts(field::column_path, {c.what.name});
    column_metadata.number(field::column_codec, static_cast<int>(page_compression()));
    column_metadata.number64(field::column_values, rows_in_group_);
    column_metadata.number64(field::column_plain_bytes,
                             header_size + static_cast<std::int64_t>(content.size()));
    column_metadata.number64(field::column_bytes,
                             header_size + static_cast<std::int64_t>(packed.size()));
    column_metadata.number64(field::column_page, written_);
    chunk.number64(field::chunk_offset, written_);
    chunk.structure(field::chunk_metadata, column_metadata);
    write(header_bytes);
    write(packed);
    return chunk;
}

void parquet_file::end_group() {
    thrift_struct group;
    std::vector<thrift_struct> chunks;
    std::int64_t bytes = 0;
    for (column &c : columns_) {
        bytes += static_cast<std::int64_t>(c.values.size());
        chunks.push_back(write_page(c));
        c.values.clear();
        c.present.clear();
    }
    group.structures(field::group_columns, chunks);
    group.number64(field::group_bytes, bytes);
    group.number64(field::group_rows, rows_in_group_);
    groups_.push_back(group);
    rows_ += rows_in_group_;
    rows_in_group_ = 0;
}

std::string parquet_file::metadata() const {
    thrift_struct root, file;
    root.text(field::schema_name, "toft");
    root.number(field::schema_children, static_cast<std::int32_t>(columns_.size()));
    std::vector<thrift_struct> schema{root};
    for (const column &c : columns_) schema.push_back(schema_of(c.what));
    file.number(field::file_version, 1);
    file.structures(field::file_schema, schema);
    file.number64(field::file_rows, rows_);
    file.structures(field::file_groups, groups_);
    file.text(field::file_maker, "toft version " TOFT_LAB_VERSION);
    return file.bytes();
}

void parquet_file::complete() {
    if (rows_in_group_ != 0) end_group();
    const std::string all = metadata();
    write(all);
    write(little_endian(static_cast<std::uint32_t>(all.size())));
    write(mark);
}

} // namespace toft::lab
