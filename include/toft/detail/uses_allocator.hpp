// SPDX-License-Identifier: MIT
// How an element comes by the allocator of its container: a map of strings has the strings' text
// beside its nodes. The rules are those of std::pmr, with four differences, so that a type that
// is fine with std::allocator is fine here:
//
//   - An element gets the allocator as something that converts to its allocator_type and to
//     nothing else. A constructor that takes anything isn't mistaken for one that takes an
//     allocator, and an allocator not for a value.
//   - An element that can't be made from these arguments and an allocator is made without one.
//   - An allocator without state is given only to what can't be made without: it would find the
//     same memory by itself.
//   - A std::promise gets none, nor what is like it and names no allocator_type: its future reads
//     what it made, and may outlive the container and its memory.
#ifndef TOFT_DETAIL_USES_ALLOCATOR_HPP
#define TOFT_DETAIL_USES_ALLOCATOR_HPP

#include <concepts>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include <toft/detail/cpp20.hpp>

#ifdef TOFT_CPP20

namespace toft::detail {

template <class T>
concept has_a_future =
    requires(T &promise) { promise.get_future(); } && !requires { typename T::allocator_type; };

template <class X, class Y>
void takes_pair(const std::pair<X, Y> &);

// std::pair, and what other libraries have in its place: the elements of boost::container::map are
// of such a type. A class that is derived from std::pair may hold more.
template <class T>
concept is_pair =
    requires(T &pair) {
        requires std::same_as<decltype(pair.first), typename T::first_type>;
        requires std::same_as<decltype(pair.second), typename T::second_type>;
    } && std::is_constructible_v<T, std::piecewise_construct_t, std::tuple<>, std::tuple<>> &&
    (std::same_as<std::remove_const_t<T>,
                  std::pair<typename T::first_type, typename T::second_type>> ||
     !requires(const T &other) { detail::takes_pair(other); });

// Whether T, or a part of it, says that it takes such an allocator. A tuple always says so.
template <class T, class Allocator>
inline constexpr bool asks_for = std::uses_allocator_v<T, Allocator> && !has_a_future<T>;
template <class T, class Allocator>
inline constexpr bool asks_for<const T, Allocator> = asks_for<T, Allocator>;
template <is_pair Pair, class Allocator>
inline constexpr bool asks_for<Pair, Allocator> = asks_for<typename Pair::first_type, Allocator> ||
                                                  asks_for<typename Pair::second_type, Allocator>;
template <class... Parts, class Allocator>
inline constexpr bool asks_for<std::tuple<Parts...>, Allocator> =
    (asks_for<Parts, Allocator> || ...);

// What T's constructor is given. A type without allocator_type, such as std::stack, has specialised
// std::uses_allocator, and is given the allocator itself.
template <class T, class Allocator>
struct handed_on {
    using type = const Allocator &;
    static type from(const Allocator &allocator) noexcept { return allocator; }
};
template <class T, class Allocator>
    requires requires { typename T::allocator_type; }
struct handed_on<T, Allocator> {
    struct type {
        const Allocator &allocator;
        operator typename T::allocator_type() const noexcept { return allocator; }
    };
    static type from(const Allocator &allocator) noexcept { return {allocator}; }
};

// What takes this takes anything: it doesn't mean an allocator.
struct anything {};

template <class T, class Allocator, class... Args>
concept takes_first = std::is_constructible_v<T, std::allocator_arg_t,
                                              typename handed_on<T, Allocator>::type, Args...> &&
                      (std::is_reference_v<typename handed_on<T, Allocator>::type> ||
                       !std::is_constructible_v<T, std::allocator_arg_t, anything, Args...>);
template <class T, class Allocator, class... Args>
concept takes_last = std::is_constructible_v<T, Args..., typename handed_on<T, Allocator>::type> &&
                     (std::is_reference_v<typename handed_on<T, Allocator>::type> ||
                      !std::is_constructible_v<T, Args..., anything>);

template <class T, class Allocator, class... Args>
concept does_without =
    std::allocator_traits<Allocator>::is_always_equal::value && std::is_constructible_v<T, Args...>;

// What a tuple is made of, where it is known part by part; nothing for other types.
template <class T>
struct parts {};

// The arguments to make a T of: those given, and the allocator where T takes one. For a pair they
// are two tuples, one for each half. A tuple's parts that take the allocator are made already.
template <class T>
struct arguments {
    template <class Allocator, class... Args>
    static auto with(const Allocator &allocator, Args &&...args) {
        using handed = handed_on<T, Allocator>;
        if constexpr (!asks_for<T, Allocator> || does_without<T, Allocator, Args...>)
            return std::forward_as_tuple(std::forward<Args>(args)...);
        else if constexpr (requires { parts<T>::from(allocator, std::forward<Args>(args)...); })
            return parts<T>::from(allocator, std::forward<Args>(args)...);
        else if constexpr (takes_first<T, Allocator, Args...>)
            return std::tuple<std::allocator_arg_t, typename handed::type, Args &&...>(
                std::allocator_arg, handed::from(allocator), std::forward<Args>(args)...);
        else if constexpr (takes_last<T, Allocator, Args...>)
            return std::tuple<Args &&..., typename handed::type>(std::forward<Args>(args)...,
                                                                 handed::from(allocator));
        else
            return std::forward_as_tuple(std::forward<Args>(args)...);
    }
};

template <class T>
struct arguments<const T> : arguments<T> {};

// What boost::container::map says before a key and the arguments of its value.
template <class Tag, class Pair, class... Args>
concept is_tag_of = std::is_empty_v<std::remove_cvref_t<Tag>> &&
                    !std::is_constructible_v<typename Pair::first_type, Tag> &&
                    std::is_constructible_v<Pair, Tag, Args...>;

template <is_pair Pair>
struct arguments<Pair> {
    using First = typename Pair::first_type;
    using Second = typename Pair::second_type;

    template <class Allocator, class X, class Y>
    static auto with(const Allocator &allocator, std::piecewise_construct_t, X &&first,
                     Y &&second) {
        auto of_first = [&](auto &&...args) {
            return arguments<First>::with(allocator, std::forward<decltype(args)>(args)...);
        };
        auto of_second = [&](auto &&...args) {
            return arguments<Second>::with(allocator, std::forward<decltype(args)>(args)...);
        };
        return std::tuple(std::piecewise_construct, std::apply(of_first, std::forward<X>(first)),
                          std::apply(of_second, std::forward<Y>(second)));
    }
    static auto with(const auto &allocator) {
        return with(allocator, std::piecewise_construct, std::tuple<>(), std::tuple<>());
    }
    template <class Key, class... Args>
    static auto with(const auto &allocator, is_tag_of<Pair, Key, Args...> auto &&, Key &&key,
                     Args &&...args) {
        return with(allocator, std::piecewise_construct,
                    std::forward_as_tuple(std::forward<Key>(key)),
                    std::forward_as_tuple(std::forward<Args>(args)...));
    }
    template <class X, class Y>
        requires(!is_tag_of<X, Pair, Y>)
    static auto with(const auto &allocator, X &&first, Y &&second) {
        return with(allocator, std::piecewise_construct,
                    std::forward_as_tuple(std::forward<X>(first)),
                    std::forward_as_tuple(std::forward<Y>(second)));
    }
    template <is_pair Other>
    static auto with(const auto &allocator, const Other &pair) {
        return with(allocator, pair.first, pair.second);
    }
    template <is_pair Other>
        requires(!std::is_const_v<Other>)
    static auto with(const auto &allocator, Other &&pair) {
        return with(allocator, std::forward<typename Other::first_type>(pair.first),
                    std::forward<typename Other::second_type>(pair.second));
    }
    // What converts to a pair makes it whole.
    template <class Other>
        requires(!is_pair<std::remove_cvref_t<Other>> &&
                 !requires(const Other &other) { detail::takes_pair(other); })
    static auto with(const auto &, Other &&other) {
        return std::forward_as_tuple(std::forward<Other>(other));
    }
};

// A part as an argument of its tuple: as it was given, or else made with the allocator. The tuple's
// own constructor takes an allocator only for parts that could be made without.
template <class Part, class Allocator, class... Arg>
decltype(auto) part_with(const Allocator &allocator, Arg &&...arg) {
    using given = decltype(arguments<Part>::with(allocator, std::forward<Arg>(arg)...));
    if constexpr (sizeof...(Arg) == 1 && std::is_same_v<given, std::tuple<Arg &&...>>)
        return (std::forward<Arg>(arg), ...);
    else
        return std::make_from_tuple<std::remove_const_t<Part>>(
            arguments<Part>::with(allocator, std::forward<Arg>(arg)...));
}
template <class Part, class Allocator, class... Arg>
using part_given =
    decltype(detail::part_with<Part>(std::declval<const Allocator &>(), std::declval<Arg>()...));

template <class... Parts>
struct parts<std::tuple<Parts...>> {
    template <class Allocator>
        requires(std::is_constructible_v<Parts, part_given<Parts, Allocator>> && ...)
    static auto from(const Allocator &allocator) {
        return std::tuple<part_given<Parts, Allocator>...>(detail::part_with<Parts>(allocator)...);
    }
    template <class Allocator, class... Args>
        requires(sizeof...(Args) == sizeof...(Parts)) &&
                (std::is_constructible_v<Parts, part_given<Parts, Allocator, Args>> && ...)
    static auto from(const Allocator &allocator, Args &&...args) {
        return std::tuple<part_given<Parts, Allocator, Args>...>(
            detail::part_with<Parts>(allocator, std::forward<Args>(args))...);
    }
    // Another tuple, or a pair, gives its own parts.
    template <class Allocator, class Other>
        requires(std::tuple_size<std::remove_cvref_t<Other>>::value == sizeof...(Parts))
    static auto from(const Allocator &allocator, Other &&other) {
        auto from_each = [&](auto &&...each) {
            return from(allocator, std::forward<decltype(each)>(each)...);
        };
        return std::apply(from_each, std::forward<Other>(other));
    }
};

// Whether a T can be made of these arguments.
template <class T, class Arguments>
inline constexpr bool makes = false;
template <class T, class... Args>
inline constexpr bool makes<T, std::tuple<Args...>> = std::is_constructible_v<T, Args...>;

template <class T, class Allocator, class... Args>
T *construct_with(T *object, const Allocator &allocator, Args &&...args) {
    return std::apply(
        [&](auto &&...all) {
            return std::construct_at(object, std::forward<decltype(all)>(all)...);
        },
        arguments<T>::with(allocator, std::forward<Args>(args)...));
}

} // namespace toft::detail

#endif // TOFT_CPP20
#endif
