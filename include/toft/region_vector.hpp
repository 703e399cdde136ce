// SPDX-License-Identifier: MIT
// toft::region_vector<T>: a growing array for objects that live in an arena, such as the nodes of a
// tree. 16 bytes on 64-bit machines, against 32 of a std::vector with an allocator, since it
// doesn't keep the arena but is given it to append; and trivially destructible, so that its node is
// too.
//
//     struct node { token name; toft::region_vector<node *> children; };
//     parent->children.push_back(arena, child);
//
// What it holds lives until its arena is rewound to before it, reset or released. It grows in place
// while its elements are the arena's last allocation; each other growth doubles it and leaves the
// old elements behind in the arena. Threads: as the arena.
#ifndef TOFT_REGION_VECTOR_HPP
#define TOFT_REGION_VECTOR_HPP

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

#include <toft/allocator.hpp>
#include <toft/detail/construct.hpp>
#include <toft/detail/cpp20.hpp>

#ifdef TOFT_CPP20

namespace toft {

// T is moved with its bytes when the array grows, and its destructor is never run.
template <class T>
class region_vector {
    // Asked of the functions and not of the class, so that a node can have a vector of itself.
    static constexpr bool movable_by_bytes() {
        static_assert(std::is_trivially_copyable_v<T>, "elements are moved as bytes");
        return true;
    }

  public:
    using value_type = T;
    using size_type = std::uint32_t;
    using iterator = T *;
    using const_iterator = const T *;

    region_vector() noexcept = default;
    // No copy: it would be a second vector over the same elements. A move is that too, and trivial,
    // so that nodes stay trivially copyable: what was moved from must not be used any more.
    region_vector(region_vector &&) noexcept = default;
    region_vector &operator=(region_vector &&) noexcept = default;
    ~region_vector() = default;

    // Name the same arena each time. Where another one is named, the next growth moves the elements
    // into it. std::bad_alloc when there is no memory, and nothing has changed then. Amortised
    // constant time.
    T &push_back(const source<arena> &in, T element) {
        if (size_ == capacity_) [[unlikely]]
            grow(in, std::size_t(size_) + 1);
        T *added = ::new (static_cast<void *>(end())) T(std::move(element));
        size_++; // last: a T may be an integer like size_, which storing it would change
        return *added;
    }
    template <class... Args>
        requires detail::makeable<T, arena, Args...>
    T &emplace_back(const source<arena> &in, Args &&...args) {
        alignas(T) std::byte room[sizeof(T)]; // made before the growth: args may be of this vector
        return push_back(in,
                         std::move(*detail::construct<T>(in, room, std::forward<Args>(args)...)));
    }
    // `elements` must not lie in this vector.
    void append(const source<arena> &in, std::span<const T> elements) {
        if (elements.size() > std::size_t(capacity_ - size_)) grow(in, size_ + elements.size());
        std::uninitialized_copy(elements.begin(), elements.end(), end());
        size_ += static_cast<size_type>(elements.size());
    }
    void reserve(const source<arena> &in, std::size_t capacity) {
        if (capacity > capacity_) resize_to(in, capacity);
    }

    void pop_back() noexcept {
        assert(size_ != 0);
        size_--;
    }
    void clear() noexcept { size_ = 0; } // keeps the capacity

    size_type size() const noexcept { return size_; }
    size_type capacity() const noexcept { return capacity_; }
    bool empty() const noexcept { return size_ == 0; }
    T *data() noexcept { return elements_; }
    const T *data() const noexcept { return elements_; }
    T *begin() noexcept { return elements_; }
    const T *begin() const noexcept { return elements_; }
    T *end() noexcept { return elements_ + size_; }
    const T *end() const noexcept { return elements_ + size_; }
    T &operator[](std::size_t i) noexcept { return assert(i < size_), elements_[i]; }
    const T &operator[](std::size_t i) const noexcept { return assert(i < size_), elements_[i]; }
    T &front() noexcept { return (*this)[0]; }
    const T &front() const noexcept { return (*this)[0]; }
    T &back() noexcept { return (*this)[size_ - 1U]; }
    const T &back() const noexcept { return (*this)[size_ - 1U]; }

  private:
    // In parentheses, since min and max are macros in some programs.
    static constexpr std::size_t first_capacity = (std::max<std::size_t>)(4, 32 / sizeof(T));
    static constexpr std::size_t max_capacity =
        (std::min<std::size_t>)(UINT32_MAX, PTRDIFF_MAX / sizeof(T));

    void grow(const source<arena> &in, std::size_t least) {
        const std::size_t doubled = (std::min)(std::size_t(capacity_) * 2, max_capacity);
        resize_to(in, (std::max)({least, doubled, first_capacity}));
    }

    void resize_to(const source<arena> &in, std::size_t capacity) {
        elements_ = resized(in.c_arena(), elements_, capacity_, capacity);
        capacity_ = static_cast<size_type>(capacity);
    }

    // Knows nothing of the vector, whose fields can then stay in registers.
    TOFT_NOINLINE static T *resized(toft_arena *in, T *elements, std::size_t from, std::size_t to) {
        static_assert(movable_by_bytes());
        if (to > max_capacity) detail::throw_bad_alloc();
        const std::size_t old_size = from * sizeof(T), new_size = to * sizeof(T);
        if (toft_arena_grow_last(in, elements, old_size, new_size)) return elements;
        void *memory = elements == nullptr
                           ? toft_arena_alloc(in, new_size, alignof(T))
                           : toft_arena_resize(in, elements, old_size, new_size, alignof(T));
        return static_cast<T *>(detail::or_throw(memory));
    }

    T *elements_ = nullptr;
    size_type size_ = 0;
    size_type capacity_ = 0;
};

} // namespace toft

#endif // TOFT_CPP20
#endif
