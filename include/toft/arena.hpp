// SPDX-License-Identifier: MIT
// toft::arena: the arena of <toft/arena.h>, owned. The rules are the same: one thread at a time,
// sizes in bytes, any power-of-two alignment; failure is std::bad_alloc here, and changes nothing.
// With -fno-exceptions it aborts, except in try_allocate.
//
//     toft::arena arena;
//     auto *root = arena.make<node>("root");
//     std::span<int> counts = arena.make_span<int>(1000);
//     arena.reset(); // runs the destructors that are needed, last made first; keeps the memory
#ifndef TOFT_ARENA_HPP
#define TOFT_ARENA_HPP

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <ranges>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include <toft/allocator.hpp>
#include <toft/arena.h>
#include <toft/detail/arena.hpp>
#include <toft/detail/inline_buffer.hpp>

#ifdef TOFT_CPP20

namespace toft {

using arena_options = toft_arena_options;
using arena_stats = toft_arena_stats;
using savepoint = toft_savepoint;

template <std::size_t N>
class inline_arena;

TOFT_FILLED_BY_C_BEGIN
class arena {
  public:
    // No memory is taken before it is needed. A static arena is there before any constructor runs.
    constexpr arena() noexcept : arena_(TOFT_ARENA_INIT) {}
    explicit arena(const arena_options &options) noexcept { toft_arena_init(&arena_, &options); }
    // Releases it: destructors and deferred functions run, last first.
    ~arena() {
        if (!toft_arena_holds_nothing(&arena_)) toft_arena_release(&arena_);
    }

    // Pointers into the arena stay valid; savepoints, scopes and allocators of it do not: a class
    // that owns an arena and containers in it must not move, as docs/choosing.md explains. An
    // assignment releases what this arena held, as its end does; other may lie in it, but not what
    // other keeps on using, such as its upstream. Where other is an inline_arena that is seen as an
    // arena, its bytes stay behind: nothing then detects that they go with it, so move none by a
    // reference to its base.
    arena(arena &&other) noexcept { toft_arena_move(&arena_, &other.arena_); }
    arena &operator=(arena &&other) noexcept {
        if (this == &other) return *this;
        arena taken(std::move(other)); // first, since other may lie in what is released
        toft_arena_release(&arena_);
        toft_arena_move(&arena_, &taken.arena_);
        return *this;
    }

    template <std::size_t N>
    arena(inline_arena<N> &&) = delete; // its first bytes can't move
    template <std::size_t N>
    arena &operator=(inline_arena<N> &&) = delete;

    // Uninitialised memory: a handful of instructions, inlined.
    [[nodiscard]] void *allocate(std::size_t size,
                                 std::size_t alignment = alignof(std::max_align_t))
        TOFT_LIFETIMEBOUND {
        return detail::or_throw(toft_arena_alloc(&arena_, size, alignment));
    }
    // The same, but nullptr when there is no memory.
    [[nodiscard]] void *try_allocate(std::size_t size,
                                     std::size_t alignment = alignof(std::max_align_t)) noexcept
        TOFT_LIFETIMEBOUND {
        return toft_arena_alloc(&arena_, size, alignment);
    }

    // An object. Its destructor, unless trivial, runs when the arena is rewound, reset or released,
    // and costs 16 bytes, or the alignment where that is more. When a constructor throws, the
    // memory is used again, unless something was allocated behind it. What takes an allocator of
    // an arena, as toft::string does, lies in this one with all it holds: make<toft::string>("a").
    template <class T, class... Args>
        requires detail::makeable<T, arena, Args...>
    T *make(Args &&...args) TOFT_LIFETIMEBOUND {
        return detail::make_in<T>(&arena_, std::forward<Args>(args)...);
    }

    // n objects, value-initialised; made and destroyed as make's are, last first.
    template <class T>
        requires detail::makeable_element<T, arena>
    [[nodiscard]] std::span<T> make_span(std::size_t n) TOFT_LIFETIMEBOUND {
        return detail::make_span_in<T>(&arena_, n);
    }

    // Copies that live in the arena: of text, followed by a '\0' that its length doesn't count, and
    // of spans, arrays, vectors and lists in braces. Returns a std::string_view for text, else a
    // std::span<T>. Text is of char, as a literal without prefix is: L"text" is an array, whose
    // '\0' is copied too. An array of char that isn't const is bytes, all of which are copied, as
    // those of a std::array are: for the text in one, name a std::string_view.
    [[nodiscard]] std::string_view copy(std::string_view text) TOFT_LIFETIMEBOUND {
        return detail::copy_text_to(&arena_, text);
    }
    template <std::size_t N>
    [[nodiscard]] std::string_view copy(const char (&text)[N]) TOFT_LIFETIMEBOUND {
        const std::string_view whole(text, N); // in which no '\0' needs to be
        return copy(whole.substr(0, whole.find('\0')));
    }
    template <std::size_t N>
    [[nodiscard]] std::span<char> copy(char (&bytes)[N]) TOFT_LIFETIMEBOUND {
        return detail::copy_to(&arena_, std::span<const char>(bytes));
    }
    template <class T>
        requires detail::copied_as_bytes<std::initializer_list<T>>
    [[nodiscard]] std::span<T> copy(std::initializer_list<T> objects) TOFT_LIFETIMEBOUND {
        return detail::copy_to(&arena_, std::span<const T>(objects));
    }
    template <std::ranges::contiguous_range Objects>
        requires detail::copied_as_bytes<Objects> &&
                 (!std::convertible_to<const Objects &, std::string_view>)
    [[nodiscard]] auto copy(const Objects &objects) TOFT_LIFETIMEBOUND {
        return detail::copy_to(&arena_,
                               std::span<const std::ranges::range_value_t<Objects>>(objects));
    }

    // Has function(argument) called when the arena is rewound to before this point, reset or
    // released.
    void defer(void (*function)(void *argument), void *argument) {
        if (!toft_arena_defer(&arena_, function, argument)) detail::throw_bad_alloc();
    }
    // The same for anything callable, which must not throw; it lives in the arena.
    template <class F>
        requires std::invocable<std::decay_t<F> &>
    void defer(F &&function) {
        make<detail::caller<std::decay_t<F>>>(std::forward<F>(function));
    }

    [[nodiscard]] savepoint save() const noexcept { return toft_arena_save(&arena_); }
    void rewind(const savepoint &point) noexcept { toft_arena_rewind(&arena_, point); }
    void reset() noexcept { toft_arena_reset(&arena_); }
    void release() noexcept { toft_arena_release(&arena_); }
    [[nodiscard]] arena_stats stats() const noexcept { return toft_arena_get_stats(&arena_); }

    // The same arena, for C.
    toft_arena *c_arena() noexcept TOFT_LIFETIMEBOUND { return &arena_; }

  private:
    toft_arena arena_;
};
TOFT_FILLED_BY_C_END

// A savepoint that rewinds at the end of its block: everything made in the block is freed there.
// So no container from outside may grow in the block: reserve before, or give it another arena.
//
//     { toft::scope scratch(arena); ... }
class [[nodiscard]] scope {
  public:
    explicit scope(arena_owner auto &owner) noexcept : scope(owner.c_arena()) {}
    explicit scope(toft_arena *arena) noexcept : arena_(arena), begin_(toft_arena_save(arena)) {}
    ~scope() { toft_arena_rewind(arena_, begin_); }
    scope(const scope &) = delete;
    scope &operator=(const scope &) = delete;

    toft_arena *c_arena() noexcept { return arena_; }

  private:
    toft_arena *arena_;
    savepoint begin_;
};

// An arena whose first N bytes are in the object itself: no chunk is taken while they suffice. It
// can't move. A limit_bytes counts TOFT_FIRST_BUFFER_OVERHEAD_BYTES of it as well: allow that more.
template <std::size_t N>
class inline_arena : private detail::inline_buffer<N, arena>, public arena {
  public:
    inline_arena() noexcept : inline_arena(arena_options{}) {}
    // first_buffer of the options is not looked at: it is the object's own.
    explicit inline_arena(const arena_options &options) noexcept
        : arena(detail::with_buffer(options, this->buffer)) {}
    inline_arena(inline_arena &&) = delete;
    inline_arena &operator=(inline_arena &&) = delete;
};

} // namespace toft

#endif // TOFT_CPP20
#endif
