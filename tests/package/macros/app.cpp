// SPDX-License-Identifier: MIT
// Uses the C++ headers, whose templates are compiled where they are used, beside other libraries'
// macros, and with more warnings than the library's own code is free of.
#include <iostream>
#include <memory_resource>
#include <string>
#include <vector>

#include <toft/adapt/rapidjson.hpp>
#include <toft/toft.hpp>

namespace {

struct message {
    int id;
    std::string text;
};

bool use_arena() {
    toft::arena arena;
    auto *made = arena.make<message>(1, "one");
    std::span<int> counts = arena.make_span<int>(100);
    arena.defer([] {});
    toft::region_vector<int> numbers;
    {
        toft::scope scratch(arena);
        std::vector<int, toft::allocator<int>> copied(arena);
        copied.assign(counts.begin(), counts.end());
        numbers.push_back(arena, 1);
        numbers.reserve(arena, 100);
        numbers.append(arena, counts);
    }
    toft::inline_arena<512> inside;
    toft::arena moved(std::move(arena));
    toft::rapidjson_arena_allocator json(moved);
    return made->id == 1 && numbers.size() == 101 && inside.copy("text") == "text" &&
           json.Malloc(10) != nullptr;
}

bool use_reap() {
    toft::reap reap;
    toft::list<message, toft::reap> queue(reap);
    queue.emplace_back(message{1, "one"});
    auto owner = toft::make_unique<message, toft::reap>(reap, message{2, "two"});
    toft::reap_scope scratch(reap);
    toft::inline_reap<4096> inside;
    toft::reap_resource resource(inside);
    std::pmr::vector<int> numbers(100, &resource);
    toft::resource_upstream upstream;
    toft::reap over(toft::reap_options{.upstream = upstream.get()});
    return owner->id == 2 && queue.size() == 1 && over.make<int>(7) != nullptr;
}

bool use_pool() {
    auto *made = toft::pool::shared().make<message>(1, "one");
    toft::pool::shared().destroy(made);
    auto owned = toft::pool::shared().make_unique<message>(2, "two");
    toft::pool session(toft::pool_options{.limit_bytes = std::size_t{64} << 20});
    toft::map<int, message, toft::pool> users(session);
    users.emplace(1, message{1, "one"});
    toft::pool_handle handle(session);
    handle.destroy(handle.make<int>(1));
    toft::use here(session);
    std::vector<int, toft::current_allocator<int>> numbers(100);
    toft::pool moved(std::move(session));
    return owned->id == 2 && users.size() == 1 && numbers.size() == 100;
}

} // namespace

int main() {
    if (!use_arena() || !use_reap() || !use_pool()) return 1;
    std::cout << "toft " TOFT_VERSION << '\n';
}
