// SPDX-License-Identifier: MIT
// How the C++ doors make objects in memory that they have allocated.
#ifndef TOFT_DETAIL_CONSTRUCT_HPP
#define TOFT_DETAIL_CONSTRUCT_HPP

#include <concepts>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <toft/allocator.hpp>
#include <toft/detail/cpp20.hpp>

#ifdef TOFT_CPP20

// Calls whose arguments may be of a user's type name the namespace, here and in all C++ headers: a
// function of the same name in the user's own namespace would be called otherwise.
namespace toft::detail {

// The comment in the next line is a part of compilers' messages.
template <class T>
concept not_an_array = !std::is_array_v<T>; // an arena's make_span<T>(n), or make_unique<T[]>(n)

// What takes its strategy's allocator gets it, as in a container.
template <class T, class Strategy, class... Args>
concept handed_allocator =
    asks_for<T, allocator<char, Strategy>> &&
    makes<T, decltype(arguments<T>::with(std::declval<allocator<char, Strategy>>(),
                                         std::declval<Args>()...))>;

// Objects are made with parentheses; aggregates, in compilers that don't know theirs, with braces.
template <class T, class Strategy, class... Args>
concept makeable = not_an_array<T> &&
                   (handed_allocator<T, Strategy, Args...> || std::constructible_from<T, Args...> ||
                    (std::is_aggregate_v<T> && std::destructible<T> &&
                     requires(Args &&...args) { T{std::forward<Args>(args)...}; }));

// Arrays have value-initialised elements.
template <class T, class Strategy>
concept makeable_element =
    not_an_array<T> && (std::default_initializable<T> || handed_allocator<T, Strategy>);
template <class T, class Strategy>
concept makeable_array =
    std::is_unbounded_array_v<T> && makeable_element<std::remove_extent_t<T>, Strategy>;

template <class T, class Strategy, class... Args>
T *construct(const source<Strategy> &from, void *memory, Args &&...args) {
    auto *object = static_cast<std::remove_cv_t<T> *>(memory);
    if constexpr (handed_allocator<T, Strategy, Args...>)
        return detail::construct_with(object, allocator<char, Strategy>(from),
                                      std::forward<Args>(args)...);
    else if constexpr (std::constructible_from<T, Args...>)
        return std::construct_at(object, std::forward<Args>(args)...);
    else
        return ::new (memory) T{std::forward<Args>(args)...};
}

// The memory of an object that may be const to those who use it.
inline void *memory_of(const volatile void *object) noexcept { return const_cast<void *>(object); }

// Calls function at the end of its block unless dismissed, so that what throws leaves nothing
// behind.
template <class F>
class [[nodiscard]] undo {
  public:
    explicit undo(F function) : function_(std::move(function)) {}
    ~undo() {
        if (!dismissed_) function_();
    }
    undo(const undo &) = delete;
    undo &operator=(const undo &) = delete;
    void dismiss() noexcept { dismissed_ = true; }

  private:
    F function_;
    bool dismissed_ = false;
};
template <class F>
undo(F) -> undo<F>;

template <class T>
void destroy_backwards(T *first, std::size_t count) noexcept {
    for (std::size_t i = count; i != 0; i--) std::destroy_at(first + i - 1);
}

// As construct; give() is called where that throws.
template <class T, class Strategy, class Give, class... Args>
T *construct_or_give(const source<Strategy> &from, void *memory, Give give, Args &&...args) {
    undo undone(std::move(give));
    T *object = detail::construct<T>(from, memory, std::forward<Args>(args)...);
    undone.dismiss();
    return object;
}

// n objects, value-initialised. Where a constructor throws, those made are destroyed, last first.
template <class Strategy, class T>
void construct_array(const source<Strategy> &from, T *first, std::size_t n) {
    if constexpr (!handed_allocator<T, Strategy> && std::is_nothrow_default_constructible_v<T>) {
        std::uninitialized_value_construct_n(first, n);
    } else {
        std::size_t made = 0;
        undo undone([&] { detail::destroy_backwards(first, made); });
        for (; made != n; made++) detail::construct<T>(from, detail::memory_of(first + made));
        undone.dismiss();
    }
}

} // namespace toft::detail

#endif // TOFT_CPP20
#endif
