// SPDX-License-Identifier: MIT
// toft::arena: the arena of <toft/arena.h>, owned. The rules are the same: one thread at a time,
// sizes in bytes, any power-of-two alignment; failure is std::bad_alloc here, and changes nothing.
//
//     toft::arena arena;
//     auto *root = arena.make<node>("root");
//     std::span<int> counts = arena.make_span<int>(1000);
//     arena.reset(); // runs the destructors that are needed, last made first; keeps the memory
#ifndef TOFT_ARENA_HPP
#define TOFT_ARENA_HPP

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
#include <toft/construct.hpp>
#include <toft/cpp20.hpp>

#ifdef TOFT_CPP20

namespace toft {

using arena_options = toft_arena_options;
using arena_stats = toft_arena_stats;
using savepoint = toft_savepoint;

namespace detail {

// An object, or the head of an array, behind the note that destroys it: 16 bytes on 64-bit
// machines.
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

template <class T>
struct array_destroyed_later : toft_deferred {
    T *first;
    std::size_t count;
    static void run_destructors(toft_deferred *self) {
        auto *array = static_cast<array_destroyed_later *>(self);
        for (std::size_t i = array->count; i != 0; i--) std::destroy_at(array->first + i - 1);
    }
};

} // namespace detail

template <std::size_t N>
class inline_arena;

class arena {
  public:
    // No memory is taken before it is needed.
    arena() noexcept : arena_(TOFT_ARENA_INIT) {}
    explicit arena(const arena_options &options) noexcept { toft_arena_init(&arena_, &options); }
    ~arena() {
        if (!toft_arena_holds_nothing(&arena_)) toft_arena_release(&arena_);
    }

    // Pointers into the arena stay valid; savepoints, scopes and allocators of it do not.
    arena(arena &&other) noexcept { toft_arena_move(&arena_, &other.arena_); }
    arena &operator=(arena &&other) noexcept {
        if (this == &other) return *this;
        toft_arena_release(&arena_);
        toft_arena_move(&arena_, &other.arena_);
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
    // and costs 16 bytes; a constructor that throws leaves nothing behind.
    template <class T, class... Args>
        requires detail::makeable<T, Args...>
    T *make(Args &&...args) TOFT_LIFETIMEBOUND {
        if constexpr (std::is_trivially_destructible_v<T>) {
            void *memory = allocate(sizeof(T), alignof(T));
            return detail::construct_or_give<T>(
                memory, [&] { toft_arena_free_last(&arena_, memory, sizeof(T)); },
                std::forward<Args>(args)...);
        } else {
            using later = detail::destroyed_later<T>;
            void *memory = allocate(sizeof(later), alignof(later));
            later *noted = ::new (memory) later;
            T *object = detail::construct_or_give<T>(
                std::addressof(noted->value),
                [&] { toft_arena_free_last(&arena_, memory, sizeof(later)); },
                std::forward<Args>(args)...);
            push(noted, later::run_destructor);
            return object;
        }
    }

    // n objects, value-initialised; destroyed as make's are, last first.
    template <class T>
        requires std::default_initializable<T>
    [[nodiscard]] std::span<T> make_span(std::size_t n) TOFT_LIFETIMEBOUND {
        using later = detail::array_destroyed_later<T>;
        constexpr bool plain = std::is_trivially_destructible_v<T>;
        void *note = plain ? nullptr : allocate(sizeof(later), alignof(later));
        detail::undo undo_note([&] { toft_arena_free_last(&arena_, note, sizeof(later)); });
        T *first = allocator<T>(&arena_).allocate(n);
        detail::undo undo_objects([&] { toft_arena_free_last(&arena_, first, n * sizeof(T)); });
        std::uninitialized_value_construct_n(first, n);
        undo_objects.dismiss();
        undo_note.dismiss();
        if constexpr (!plain) push(::new (note) later{{}, first, n}, later::run_destructors);
        return {first, n};
    }

    // Copies that live in the arena: of text, followed by a '\0' that its length doesn't count, and
    // of spans, arrays and vectors.
    [[nodiscard]] std::string_view copy(std::string_view text) TOFT_LIFETIMEBOUND {
        char *copied = static_cast<char *>(allocate(text.size() + 1, 1));
        if (!text.empty()) std::memcpy(copied, text.data(), text.size());
        copied[text.size()] = '\0';
        return {copied, text.size()};
    }
    template <std::ranges::contiguous_range Objects>
        requires std::is_trivially_copyable_v<std::ranges::range_value_t<Objects>> &&
                 (!std::convertible_to<const Objects &, std::string_view>)
    [[nodiscard]] auto copy(const Objects &objects) TOFT_LIFETIMEBOUND {
        using T = std::ranges::range_value_t<Objects>;
        const std::span<const T> from(objects);
        T *copied = allocator<T>(&arena_).allocate(from.size());
        if (!from.empty()) std::memcpy(copied, from.data(), from.size_bytes());
        return std::span<T>(copied, from.size());
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
        struct caller {
            std::decay_t<F> function;
            explicit caller(F &&given) : function(std::forward<F>(given)) {}
            ~caller() { function(); }
        };
        make<caller>(std::forward<F>(function));
    }

    [[nodiscard]] savepoint save() const noexcept { return toft_arena_save(&arena_); }
    void rewind(const savepoint &point) noexcept { toft_arena_rewind(&arena_, point); }
    void reset() noexcept { toft_arena_reset(&arena_); }
    void release() noexcept { toft_arena_release(&arena_); }
    [[nodiscard]] arena_stats stats() const noexcept { return toft_arena_get_stats(&arena_); }

    // The same arena, for C.
    toft_arena *c_arena() noexcept TOFT_LIFETIMEBOUND { return &arena_; }

  private:
    void push(toft_deferred *deferred, void (*run)(toft_deferred *)) noexcept {
        deferred->run = run;
        deferred->next = arena_.deferred;
        arena_.deferred = deferred;
    }

    toft_arena arena_;
};

// A savepoint that rewinds at the end of its block: everything made in the block is freed there.
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

namespace detail {

// A base, so that it lives before and after the arena that uses it.
template <std::size_t N>
struct inline_buffer {
    alignas(16) std::byte buffer[(N + 7) / 8 * 8 + TOFT_FIRST_BUFFER_OVERHEAD_BYTES];
};

} // namespace detail

// An arena whose first N bytes are in the object itself: no chunk is taken while they suffice. It
// can't move.
template <std::size_t N>
class inline_arena : private detail::inline_buffer<N>, public arena {
  public:
    inline_arena() noexcept : inline_arena(arena_options{}) {}
    // first_buffer of the options is not looked at: it is the object's own.
    explicit inline_arena(const arena_options &options) noexcept
        : arena(with_buffer(options, this->buffer)) {}
    inline_arena(inline_arena &&) = delete;
    inline_arena &operator=(inline_arena &&) = delete;

  private:
    static arena_options with_buffer(arena_options options, auto &buffer) noexcept {
        options.first_buffer = buffer;
        options.first_buffer_bytes = sizeof(buffer);
        return options;
    }
};

} // namespace toft

#endif // TOFT_CPP20
#endif
