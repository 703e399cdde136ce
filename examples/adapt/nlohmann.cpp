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

// The tree is never destroyed, unless the frees are kept: the arena's reset ends it.
bool round_trip_in(toft::arena &arena, const std::string &text, bool frees_kept) {
    bool equal;
    {
        toft::use block(arena);
        void *memory = arena.allocate(sizeof(toft::current_json), alignof(toft::current_json));
        auto *value = ::new (memory) toft::current_json(toft::current_json::parse(text));
        equal = value->size() == 2000 && std::string_view(value->dump()) == text;
        if (frees_kept) std::destroy_at(value);
    }
    arena.reset();
    return equal;
}

} // namespace

int main(int argc, char **argv) {
    static const char *const ways[] = {"pool", "arena", "kept", "malloc", nullptr};
    const choice chosen = choose(argc, argv, ways);
    const std::string text = make_json_text();
    bool equal = true;
    toft::arena arena;
    for (int i = chosen.rounds; i > 0; i--)
        if (way_is(chosen, "pool"))
            equal = equal && round_trip<toft::pool_json>(text);
        else if (way_is(chosen, "arena"))
            equal = equal && round_trip_in(arena, text, false);
        else if (way_is(chosen, "kept"))
            equal = equal && round_trip_in(arena, text, true);
        else
            equal = equal && round_trip<nlohmann::json>(text);
    std::puts(equal ? "equal" : "different");
    print_whether("on the pool", toft_pool_get_stats(toft_pool_shared()).high_water_bytes > 0);
    print_whether("in an arena", arena.stats().high_water_bytes > 0);
    print_live(toft_pool_shared());
    return equal ? 0 : 1;
}
