// SPDX-License-Identifier: MIT
#include "sketch.hpp"

#include "place_text.hpp"

#include <bit>
#include <fmt/format.h>

namespace toft::lab {
namespace {

std::string owner_of(const advice &a) {
    return a.scope.function.empty() ? "at file scope: it lives until the program's end"
                                    : "in " + short_name(a.scope.function);
}

// Not a line: others may still be used where most of them are freed.
std::string where_it_ends(const advice &a) {
    if (a.scope.function.empty()) return "at the program's end";
    return fmt::format("before {} returns, when none is used any more",
                       short_name(a.scope.function));
}

std::string arena(const advice &a, bool cpp) {
    if (cpp)
        return fmt::format("#include <toft/toft.hpp>\n"
                           "toft::arena arena;              // {}\n"
                           "auto *object = arena.make<T>(); // where `new T` was; no delete\n"
                           "arena.reset();                  // {}; keeps the memory\n",
                           owner_of(a), where_it_ends(a));
    return fmt::format("#include <toft/arena.h>\n"
                       "toft_arena arena = TOFT_ARENA_INIT;    // {}\n"
                       "T *object = toft_new(&arena, T);       // where malloc was; no free\n"
                       "toft_arena_reset(&arena);              // {}; keeps the memory\n"
                       "toft_arena_release(&arena);            // when no more are made\n",
                       owner_of(a), where_it_ends(a));
}

std::string reap(const advice &a, bool cpp) {
    if (cpp)
        return fmt::format(
            "#include <toft/toft.hpp>\n"
            "toft::reap reap; // {}\n"
            "toft::list<T, toft::reap> list(reap); // what it erases is used again\n",
            owner_of(a));
    return fmt::format("#include <toft/reap.h>\n"
                       "toft_reap reap = TOFT_REAP_INIT;   // {}\n"
                       "T *object = toft_reap_new(&reap, T);\n"
                       "toft_reap_delete(&reap, object);   // its slot is used again\n"
                       "toft_reap_release(&reap);          // {}\n",
                       owner_of(a), where_it_ends(a));
}

std::string inline_buffer(const advice &a, bool cpp) {
    const std::uint64_t bytes = std::bit_ceil(std::max<std::uint64_t>(a.region_peak_bytes, 64));
    if (cpp)
        return fmt::format("#include <toft/toft.hpp>\n"
                           "toft::inline_arena<{}> arena; // {}, on the stack\n"
                           "auto *object = arena.make<T>();\n",
                           bytes, owner_of(a));
    return fmt::format("char buffer[{}]; // {}; malloc only what is larger\n", bytes, owner_of(a));
}

std::string reserve(const advice &a, bool cpp) {
    if (cpp) return fmt::format("v.reserve({}); // before it is filled\n", "n");
    return fmt::format("capacity = n; // known before the loop, or doubled: not grown {} times\n",
                       a.growths);
}

std::string pool(bool cpp) {
    if (cpp)
        return "#include <toft/pool.hpp>\n"
               "auto *object = toft::pool::shared().make<T>(); // on any thread\n"
               "toft::pool::shared().destroy(object);          // on any other\n";
    return "#include <toft/pool.h>\n"
           "T *object = toft_pool_alloc(toft_pool_shared(), sizeof *object);\n"
           "toft_pool_free(toft_pool_shared(), object, sizeof *object); // on any thread\n";
}

} // namespace

std::string sketch_of(const advice &a, bool cpp) {
    switch (a.what) {
    case remedy::leave:
        break;
    case remedy::arena:
        return arena(a, cpp);
    case remedy::reap:
        return reap(a, cpp);
    case remedy::pool:
        return pool(cpp);
    case remedy::inline_buffer:
        return inline_buffer(a, cpp);
    case remedy::reserve:
        return reserve(a, cpp);
    }
    return {};
}

} // namespace toft::lab
