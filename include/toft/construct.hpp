// SPDX-License-Identifier: MIT
// How the C++ doors make objects in memory that they have allocated.
#ifndef TOFT_CONSTRUCT_HPP
#define TOFT_CONSTRUCT_HPP

#include <concepts>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace toft::detail {

// Objects are made with parentheses; aggregates, in compilers that don't know theirs, with braces.
template <class T, class... Args>
concept makeable = std::constructible_from<T, Args...> ||
                   (std::is_aggregate_v<T> && std::destructible<T> &&
                    requires(Args &&...args) { T{std::forward<Args>(args)...}; });

template <class T, class... Args>
T *construct(void *memory, Args &&...args) {
    if constexpr (std::constructible_from<T, Args...>)
        return std::construct_at(static_cast<T *>(memory), std::forward<Args>(args)...);
    else
        return ::new (memory) T{std::forward<Args>(args)...};
}

// The same, but where the constructor throws, the memory goes back: give(memory).
template <class T, class Give, class... Args>
T *construct_or_give(void *memory, Give give, Args &&...args) {
    struct undo {
        Give &give;
        void *memory;
        ~undo() {
            if (memory != nullptr) give(memory);
        }
    } undone{give, memory};
    T *object = construct<T>(memory, std::forward<Args>(args)...);
    undone.memory = nullptr;
    return object;
}

} // namespace toft::detail

#endif
