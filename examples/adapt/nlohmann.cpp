// SPDX-License-Identifier: MIT
// nlohmann::json on the shared pool, or in an arena that is current while it lives.
#include <cstdio>
#include <memory>
#include <string>

#include <toft/adapt/nlohmann.hpp>
#include <toft/arena.hpp>

#include "json_text.hpp"
#include "run.h"

namespace {

template <class Json>
bool round_trip(const std::string &text) {
    const Json value = Json::parse(text);
    return value.size() == 2000 && std::string_view(value.dump()) == text;
}

// The tree is never destroyed: the arena's reset ends it.
bool round_trip_in(toft::arena &arena, const std::string &text) {
    bool equal;
    {
        toft::use block(arena);
        void *memory = arena.allocate(sizeof(toft::current_json), alignof(toft::current_json));
        const auto *value = ::new (memory) toft::current_json(toft::current_json::parse(text));
        equal = value->size() == 2000 && std::string_view(value->dump()) == text;
    }
    arena.reset();
    return equal;
}

} // namespace

int main(int argc, char **argv) {
    const std::string text = make_json_text();
    bool equal = true;
    toft::arena arena;
    for (int i = rounds_of(argc, argv); i > 0; i--)
        if (way_is(argc, argv, "pool", true))
            equal = equal && round_trip<toft::pool_json>(text);
        else if (way_is(argc, argv, "arena", false))
            equal = equal && round_trip_in(arena, text);
        else
            equal = equal && round_trip<nlohmann::json>(text);
    std::puts(equal ? "equal" : "different");
    std::printf("%zu bytes live\n", toft_pool_get_stats(toft_pool_shared()).live_bytes);
}
