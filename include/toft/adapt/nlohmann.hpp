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
//
// Keys and values are given as any text, and read as std::string too. nlohmann-json has some calls
// for std::string alone, which don't compile here: those that read a binary format (from_cbor and
// the like), to_bson, flatten and patch. They can be had by a copy, unless it has binary values,
// which nlohmann-json can't copy from one type to the other:
//
//     toft::pool_json value(nlohmann::json::from_cbor(bytes));
//     nlohmann::json flat = nlohmann::json(value).flatten();
#ifndef TOFT_ADAPT_NLOHMANN_HPP
#define TOFT_ADAPT_NLOHMANN_HPP

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <toft/containers.hpp> // for std::hash of its strings
#include <toft/current.hpp>
#include <toft/detail/cpp20.hpp>
#include <toft/pool.hpp>

#ifdef TOFT_CPP20

namespace toft {

namespace detail {

// Finds keys by any text. std::less<> compares no strings of different allocators.
struct text_less {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const noexcept { return a < b; }
};
template <class Key, class T, class, class Allocator>
using text_map = std::map<Key, T, text_less, Allocator>;

} // namespace detail

template <template <class> class Allocator>
using basic_json =
    nlohmann::basic_json<detail::text_map, std::vector,
                         std::basic_string<char, std::char_traits<char>, Allocator<char>>, bool,
                         std::int64_t, std::uint64_t, double, Allocator, nlohmann::adl_serializer,
                         std::vector<std::uint8_t, Allocator<std::uint8_t>>>;

using pool_json = basic_json<pool_allocator>;
using current_json = basic_json<owned_by_current_allocator>;

} // namespace toft

#endif // TOFT_CPP20
#endif
