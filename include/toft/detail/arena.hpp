// SPDX-License-Identifier: MIT
// The inside of <toft/arena.hpp>: how objects, arrays and copies are made in an arena.
#ifndef TOFT_DETAIL_ARENA_HPP
#define TOFT_DETAIL_ARENA_HPP

#include <concepts>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <toft/allocator.hpp>
#include <toft/arena.h>
#include <toft/detail/construct.hpp>
#include <toft/detail/cpp20.hpp>

#ifdef TOFT_CPP20

namespace toft::detail {

// An object behind the note that destroys it: 16 bytes on 64-bit machines.
template <class T>
struct destroyed_later : toft_deferred {
    union {
        T value; // constructed by its user
    };
    destroyed_later() noexcept {}
    ~destroyed_later() {}
    static void run_destructor(toft_deferred *self) {
        std::destroy_at(std::addressof(static_cast<destroyed_later *>(self)->value));
    }
};

// A note that destroys an array. It lies somewhere before it.
template <class T>
struct array_destroyed_later : toft_deferred {
    T *first;
    std::size_t count;
    static void run_destructors(toft_deferred *self) {
        auto *array = static_cast<array_destroyed_later *>(self);
        detail::destroy_backwards(array->first, array->count);
    }
};

// A function that is called when it is destroyed.
template <class F>
struct caller {
    F function;
    explicit caller(auto &&given) : function(std::forward<decltype(given)>(given)) {}
    ~caller() { static_cast<void>(function()); }
};

inline void run_later(toft_arena *arena, toft_deferred *deferred,
                      void (*run)(toft_deferred *)) noexcept {
    deferred->run = run;
    deferred->next = arena->deferred;
    arena->deferred = deferred;
}

template <class T, class... Args>
T *make_in(toft_arena *arena, Args &&...args) {
    const source<toft::arena> from(arena);
    if constexpr (std::is_trivially_destructible_v<T>) {
        void *memory = or_throw(toft_arena_alloc(arena, sizeof(T), alignof(T)));
        return detail::construct_or_give<T>(
            from, memory, [&] { toft_arena_free_last(arena, memory, sizeof(T)); },
            std::forward<Args>(args)...);
    } else {
        using later = destroyed_later<T>;
        void *memory = or_throw(toft_arena_alloc(arena, sizeof(later), alignof(later)));
        later *noted = ::new (memory) later;
        T *object = detail::construct_or_give<T>(
            from, detail::memory_of(std::addressof(noted->value)),
            [&] { toft_arena_free_last(arena, memory, sizeof(later)); },
            std::forward<Args>(args)...);
        detail::run_later(arena, noted, later::run_destructor);
        return object;
    }
}

template <class T>
std::span<T> make_span_in(toft_arena *arena, std::size_t n) {
    using later = array_destroyed_later<T>;
    constexpr bool plain = std::is_trivially_destructible_v<T>;
    void *note = plain ? nullptr : or_throw(toft_arena_alloc(arena, sizeof(later), alignof(later)));
    undo undo_note([&] { toft_arena_free_last(arena, note, sizeof(later)); });
    T *first = allocator<T>(arena).allocate(n);
    undo undo_objects([&] { toft_arena_free_last(arena, first, n * sizeof(T)); });
    detail::construct_array<toft::arena>(arena, first, n);
    undo_objects.dismiss();
    undo_note.dismiss();
    if constexpr (!plain)
        detail::run_later(arena, ::new (note) later{{}, first, n}, later::run_destructors);
    return {first, n};
}

inline std::string_view copy_text_to(toft_arena *arena, std::string_view text) {
    char *copied = allocator<char>(arena).allocate(text.size() + 1);
    if (!text.empty()) std::memcpy(copied, text.data(), text.size());
    copied[text.size()] = '\0';
    return {copied, text.size()};
}

// Objects, one behind the other, whose copies may be made as bytes.
template <class Objects, class T = std::ranges::range_value_t<Objects>>
concept copied_as_bytes =
    std::constructible_from<std::span<const T>, const Objects &> &&
    std::is_trivially_copyable_v<T> && std::copy_constructible<std::remove_all_extents_t<T>>;

template <class T>
std::span<T> copy_to(toft_arena *arena, std::span<const T> from) {
    T *copied = allocator<T>(arena).allocate(from.size());
    if (!from.empty()) std::memcpy(static_cast<void *>(copied), from.data(), from.size_bytes());
    return {copied, from.size()};
}

} // namespace toft::detail

#endif // TOFT_CPP20
#endif
