// SPDX-License-Identifier: MIT
// A document of RapidJSON's in an arena, on the shared pool, or in what is current.
#include <cstdio>
#include <string>
#include <type_traits>

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <toft/adapt/rapidjson.hpp>
#include <toft/current.hpp>

#include "json_text.hpp"
#include "run.h"

// A C arena is taken too, and none isn't.
static_assert(std::is_constructible_v<toft::rapidjson_arena_allocator, toft_arena *>);
static_assert(!std::is_constructible_v<toft::rapidjson_arena_allocator, std::nullptr_t>);

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

bool run(const std::string &text, choice way, toft::arena &arena) {
    bool equal;
    if (way_is(way, "arena")) {
        toft::rapidjson_arena_allocator allocator(arena);
        equal = round_trip<toft::rapidjson_arena_allocator, toft::rapidjson_pool_allocator>(
            text, &allocator);
    } else if (way_is(way, "pool")) {
        equal = round_trip<toft::rapidjson_pool_allocator, toft::rapidjson_pool_allocator>(text);
    } else if (way_is(way, "current")) {
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
    static const char *const ways[] = {"arena", "pool", "current", "malloc", nullptr};
    const choice chosen = choose(argc, argv, ways);
    const std::string text = make_json_text();
    bool equal = true;
    toft::arena arena;
    for (int i = chosen.rounds; i > 0; i--) equal = equal && run(text, chosen, arena);
    std::puts(equal ? "equal" : "different");
    print_whether("on the pool", toft_pool_get_stats(toft_pool_shared()).high_water_bytes > 0);
    print_whether("in an arena", arena.stats().high_water_bytes > 0);
    print_live(toft_pool_shared());
    return equal ? 0 : 1;
}
