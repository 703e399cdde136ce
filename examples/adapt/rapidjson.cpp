// SPDX-License-Identifier: MIT
// A document of RapidJSON's in an arena, on the shared pool, or in what is current.
#include <cstdio>
#include <string>

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <toft/adapt/rapidjson.hpp>
#include <toft/current.hpp>

#include "json_text.hpp"
#include "run.h"

namespace {

template <class Allocator, class StackAllocator>
bool round_trip(const std::string &text, Allocator *allocator = nullptr) {
    using encoding = rapidjson::UTF8<>;
    rapidjson::GenericDocument<encoding, Allocator, StackAllocator> document(allocator);
    document.Parse(text.c_str());
    rapidjson::GenericStringBuffer<encoding, StackAllocator> printed;
    rapidjson::Writer<rapidjson::GenericStringBuffer<encoding, StackAllocator>, encoding, encoding,
                      StackAllocator>
        writer(printed);
    document.Accept(writer);
    return text == printed.GetString();
}

bool run(const std::string &text, bool in_arena, bool on_pool, bool in_current) {
    static toft::arena arena;
    bool equal;
    if (in_arena) {
        toft::rapidjson_arena_allocator allocator(arena);
        equal = round_trip<toft::rapidjson_arena_allocator, toft::rapidjson_pool_allocator>(
            text, &allocator);
    } else if (on_pool) {
        equal = round_trip<toft::rapidjson_pool_allocator, toft::rapidjson_pool_allocator>(text);
    } else if (in_current) {
        toft::use block(arena);
        equal =
            round_trip<toft::rapidjson_current_allocator, toft::rapidjson_current_allocator>(text);
    } else {
        equal = round_trip<rapidjson::MemoryPoolAllocator<>, rapidjson::CrtAllocator>(text);
    }
    arena.reset();
    return equal;
}

} // namespace

int main(int argc, char **argv) {
    const std::string text = make_json_text();
    bool equal = true;
    for (int i = rounds_of(argc, argv); i > 0; i--)
        equal =
            equal && run(text, way_is(argc, argv, "arena", true), way_is(argc, argv, "pool", false),
                         way_is(argc, argv, "current", false));
    std::puts(equal ? "equal" : "different");
    std::printf("%zu bytes live\n", toft_pool_get_stats(toft_pool_shared()).live_bytes);
}
