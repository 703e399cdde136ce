// SPDX-License-Identifier: MIT
#include "recording_parts.hpp"

#include "command.hpp"

#include <doctest/doctest.h>

using namespace toft::lab;

namespace {

std::string decompressed(const std::string &from, std::size_t plain_bytes) {
    if (from.size() == plain_bytes) return from;
    std::string plain(plain_bytes, '\0');
    REQUIRE(decompress(std::as_bytes(std::span(from)), std::as_writable_bytes(std::span(plain))));
    return plain;
}

void decompress_stacks(recording_block &b) {
    constexpr std::size_t head = sizeof(toft_stacks_payload);
    const auto plain = b.at<toft_stacks_payload>(0).plain_bytes;
    b.payload = b.payload.substr(0, head) + decompressed(b.payload.substr(head), plain);
}

void decompress_events(recording_block &b) {
    auto head = b.at<toft_events_payload>(0);
    std::string plain;
    std::size_t at = sizeof head;
    for (unsigned i = 0; i != toft_column_count; ++i) {
        plain += decompressed(b.payload.substr(at, head.compressed_bytes[i]), head.plain_bytes[i]);
        at += head.compressed_bytes[i];
        head.compressed_bytes[i] = head.plain_bytes[i];
    }
    b.payload.resize(sizeof head);
    b.put(0, head);
    b.payload += plain;
}

} // namespace

recording_parts::recording_parts(const std::string &path) {
    const std::string all = contents_of(path);
    REQUIRE(all.size() >= sizeof header);
    std::memcpy(&header, all.data(), sizeof header);
    for (std::size_t at = sizeof header; at != all.size();) {
        recording_block b;
        REQUIRE(all.size() - at >= sizeof b.header);
        std::memcpy(&b.header, all.data() + at, sizeof b.header);
        at += sizeof b.header;
        b.payload = all.substr(at, b.header.payload_bytes);
        at += b.payload.size();
        blocks.push_back(std::move(b));
    }
}

void recording_parts::decompress() {
    for (recording_block &b : blocks) {
        if (b.header.kind == toft_block_stacks) decompress_stacks(b);
        if (b.header.kind == toft_block_events) decompress_events(b);
    }
}

std::string recording_parts::bytes() const {
    std::string all(reinterpret_cast<const char *>(&header), sizeof header);
    for (const recording_block &b : blocks) {
        toft_block_header h = b.header;
        h.payload_bytes = static_cast<std::uint32_t>(b.payload.size());
        h.payload_checksum = toft_recording_checksum(b.payload.data(), b.payload.size());
        h.header_checksum = toft_header_checksum(&h);
        all.append(reinterpret_cast<const char *>(&h), sizeof h);
        all += b.payload;
    }
    return all;
}

void recording_parts::write(const std::string &path) const { write_to(path, bytes()); }
