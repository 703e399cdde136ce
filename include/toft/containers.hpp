// SPDX-License-Identifier: MIT
// The standard containers under short names, on an arena unless another strategy is named. Include
// the header of the strategy as well: <toft/arena.hpp>, <toft/reap.hpp> or <toft/pool.hpp>.
//
//     toft::arena arena;
//     toft::vector<int> numbers(arena);
//     toft::reap reap;
//     toft::list<job, toft::reap> queue(reap); // what it pops is handed out again
//     toft::map<toft::string, toft::vector<int>> index(arena); // strings and vectors inside it too
//
// emplace("a", ...) makes a key that is a toft::string in the map's memory, and find("a") makes
// none: keys of text are found by whatever converts to a std::string_view, in hash tables too. But
// [] and at take a key: index[toft::string("a", arena)].
//
// What a container makes for itself lies in its memory. To what you make yourself, name the arena;
// and leave out members that would make an allocator by default, as a string's substr does:
//
//     index.try_emplace(toft::string("b", arena), 2); // which makes the value, but not the key
//     toft::string middle(text, pos, n, arena); // instead of text.substr(pos, n)
//
// A class of yours that has such members takes the allocator in its constructors, last, and has an
// allocator_type: "Your own classes in containers" in docs/adopting.md is an example.
//
// A std::stack, queue or priority_queue takes the arena as a pointer, since it hands on a constant
// reference of what it gets, and a constant arena can't allocate:
//
//     std::stack<int, toft::deque<int>> depths(arena.c_arena()); // c_reap() or c_pool() of others
//
// What is taken by a move stays where it was: name = make_name(scratch), v[i] = std::move(x),
// insert_or_assign(key, std::move(x)), and an insert before other elements, which are moved too.
// With libstdc++, also an insert of a copy into the middle of a deque. If x may be of an arena that
// ends sooner, name the arena again: v[i] = toft::string(x, arena), or emplace(position, x, arena).
//
// A library that makes allocators by default, as std::regex_match does for its results, can't be
// given the arena: it takes toft::pool_allocator, or toft::current_allocator of <toft/current.hpp>.
//
// Which strategy: an arena for what grows and dies as a whole (push_back, insert, then traverse); a
// reap where elements come and go. An arena that a container erases from, or a vector or hash table
// grows in, keeps what they give up until its reset.
#ifndef TOFT_CONTAINERS_HPP
#define TOFT_CONTAINERS_HPP

#include <cstddef>
#include <deque>
#include <forward_list>
#include <functional>
#include <list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <toft/allocator.hpp>
#include <toft/detail/cpp20.hpp>

#ifdef TOFT_CPP20

namespace toft {

template <class T, class Strategy = arena>
using vector = std::vector<T, allocator<T, Strategy>>;

template <class T, class Strategy = arena>
using deque = std::deque<T, allocator<T, Strategy>>;

template <class T, class Strategy = arena>
using list = std::list<T, allocator<T, Strategy>>;

template <class T, class Strategy = arena>
using forward_list = std::forward_list<T, allocator<T, Strategy>>;

template <class Char, class Strategy = arena, class Traits = std::char_traits<Char>>
using basic_string = std::basic_string<Char, Traits, allocator<Char, Strategy>>;
using string = basic_string<char>;

namespace detail {

// It isn't noexcept, although it never throws: libstdc++ takes a hash that is noexcept for a cheap
// one, and doesn't keep its results in the nodes. Each look at a node would then hash its string.
template <class Char>
struct string_hash {
    std::size_t operator()(std::basic_string_view<Char> text) const {
        return std::hash<std::basic_string_view<Char>>()(text);
    }
};

} // namespace detail

// Compare and hash whatever converts to a std::string_view: toft::string, std::string, literals.
// They make no string and allocate nothing. Any thread.
struct text_less {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const noexcept { return a < b; }
};
struct text_equal {
    using is_transparent = void;
    bool operator()(std::string_view a, std::string_view b) const noexcept { return a == b; }
};
struct text_hash : detail::string_hash<char> {
    using is_transparent = void;
};

namespace detail {

// How a key is looked up unless the program says it.
template <class Key>
struct lookup {
    using less = std::less<Key>;
    using hash = std::hash<Key>;
    using equal = std::equal_to<Key>;
};
template <class Strategy>
struct lookup<basic_string<char, Strategy>> {
    using less = text_less;
    using hash = text_hash;
    using equal = text_equal;
};
template <class Key>
using less = typename lookup<Key>::less;
template <class Key>
using hash = typename lookup<Key>::hash;
template <class Key>
using equal = typename lookup<Key>::equal;

} // namespace detail

template <class T, class Strategy = arena, class Less = detail::less<T>>
using set = std::set<T, Less, allocator<T, Strategy>>;

template <class T, class Strategy = arena, class Less = detail::less<T>>
using multiset = std::multiset<T, Less, allocator<T, Strategy>>;

template <class Key, class T, class Strategy = arena, class Less = detail::less<Key>>
using map = std::map<Key, T, Less, allocator<std::pair<const Key, T>, Strategy>>;

template <class Key, class T, class Strategy = arena, class Less = detail::less<Key>>
using multimap = std::multimap<Key, T, Less, allocator<std::pair<const Key, T>, Strategy>>;

template <class T, class Strategy = arena, class Hash = detail::hash<T>,
          class Equal = detail::equal<T>>
using unordered_set = std::unordered_set<T, Hash, Equal, allocator<T, Strategy>>;

template <class T, class Strategy = arena, class Hash = detail::hash<T>,
          class Equal = detail::equal<T>>
using unordered_multiset = std::unordered_multiset<T, Hash, Equal, allocator<T, Strategy>>;

template <class Key, class T, class Strategy = arena, class Hash = detail::hash<Key>,
          class Equal = detail::equal<Key>>
using unordered_map =
    std::unordered_map<Key, T, Hash, Equal, allocator<std::pair<const Key, T>, Strategy>>;

template <class Key, class T, class Strategy = arena, class Hash = detail::hash<Key>,
          class Equal = detail::equal<Key>>
using unordered_multimap =
    std::unordered_multimap<Key, T, Hash, Equal, allocator<std::pair<const Key, T>, Strategy>>;

} // namespace toft

// Strings in any strategy's memory are hashed as their std::string_view is. (Five of them, since a
// library may have one for each character type and any allocator: these are then the closer ones.)
template <class Strategy>
struct std::hash<toft::basic_string<char, Strategy>> : toft::detail::string_hash<char> {};
template <class Strategy>
struct std::hash<toft::basic_string<wchar_t, Strategy>> : toft::detail::string_hash<wchar_t> {};
    #if defined(__cpp_char8_t) // which -fno-char8_t takes away
template <class Strategy>
struct std::hash<toft::basic_string<char8_t, Strategy>> : toft::detail::string_hash<char8_t> {};
    #endif
template <class Strategy>
struct std::hash<toft::basic_string<char16_t, Strategy>> : toft::detail::string_hash<char16_t> {};
template <class Strategy>
struct std::hash<toft::basic_string<char32_t, Strategy>> : toft::detail::string_hash<char32_t> {};

#endif // TOFT_CPP20
#endif
