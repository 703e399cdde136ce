// SPDX-License-Identifier: MIT
// nlohmann::json with other memory: values, strings and objects' nodes.
//
//     toft::pool_json value = toft::pool_json::parse(text); // on the shared pool
//
//     toft::arena arena;
//     toft::use here(arena);
//     toft::current_json value = toft::current_json::parse(text); // in the arena
//
// nlohmann::basic_json makes an allocator anew each time it allocates or frees: so it takes those
// without state alone. Threads and failure: as the strategy, and std::bad_alloc.
#ifndef TOFT_ADAPT_NLOHMANN_HPP
#define TOFT_ADAPT_NLOHMANN_HPP

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <toft/current.hpp>
#include <toft/detail/cpp20.hpp>
#include <toft/pool.hpp>

#ifdef TOFT_CPP20

namespace toft {

template <template <class> class Allocator>
using basic_json =
    nlohmann::basic_json<std::map, std::vector,
                         std::basic_string<char, std::char_traits<char>, Allocator<char>>, bool,
                         std::int64_t, std::uint64_t, double, Allocator>;

using pool_json = basic_json<pool_allocator>;
using current_json = basic_json<owned_by_current_allocator>;

} // namespace toft

#endif // TOFT_CPP20
#endif
