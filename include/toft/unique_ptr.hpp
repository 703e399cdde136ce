// SPDX-License-Identifier: MIT
// std::unique_ptr to an object in an arena, a reap or a pool.
//
//     toft::unique_ptr<node> root = toft::make_unique<node>(arena, "root");
//     toft::unique_ptr<node, toft::reap> leaf = toft::make_unique<node, toft::reap>(reap, "leaf");
//     toft::unique_ptr<int[]> counts = toft::make_unique<int[]>(arena, n);
//     std::shared_ptr<base> any = toft::make_unique<derived>(arena);
//
// A unique_ptr to a base takes none to a derived object, whose size it doesn't know. Take a
// shared_ptr, as above; or derive the base from toft::pooled, of <toft/pooled.hpp>, and own what
// new makes by a plain std::unique_ptr<base>.
//
// Include the header of the strategy as well: <toft/arena.hpp>, <toft/reap.hpp> or <toft/pool.hpp>.
// The object is destroyed, and its memory given back to the strategy: a reap and a pool reuse it;
// an arena does if it was its last allocation. One pointer more than a plain one, none more on the
// shared pool; for an array its length too, which is counts.get_deleter().size(). The strategy must
// outlive the object; resetting it under a living one is an error.
#ifndef TOFT_UNIQUE_PTR_HPP
#define TOFT_UNIQUE_PTR_HPP

#include <concepts>
#include <cstddef>
#include <memory>
#include <type_traits>
#include <utility>

#include <toft/allocator.hpp>
#include <toft/detail/construct.hpp>
#include <toft/detail/cpp20.hpp>

#ifdef TOFT_CPP20

namespace toft {

namespace detail {

// A pointer to an object of one type may become one to the same object, seen as const.
template <class From, class To>
concept seen_as =
    std::same_as<std::remove_cv_t<From>, std::remove_cv_t<To>> && std::convertible_to<From *, To *>;

} // namespace detail

// Only for objects of type T itself: the size of a derived one isn't known here, and there is no
// header that knows it. A std::shared_ptr keeps the deleter as it is.
template <class T, class Strategy = arena>
class deleter : private source<Strategy> {
  public:
    using source<Strategy>::source;
    deleter()
        requires std::default_initializable<source<Strategy>>
    = default;
    // For a pointer that is empty until it is assigned what make_unique returned.
    deleter() noexcept
        requires(!std::default_initializable<source<Strategy>> &&
                 std::constructible_from<source<Strategy>, std::nullptr_t>)
        : source<Strategy>(nullptr) {}
    deleter(const source<Strategy> &from) noexcept : source<Strategy>(from) {}
    template <detail::seen_as<T> U>
    deleter(const deleter<U, Strategy> &other) noexcept : source<Strategy>(other) {}
    template <class U>
    deleter(const deleter<U, Strategy> &) = delete; // toft: it frees as many bytes as a T has

    void operator()(T *object) const noexcept {
        std::destroy_at(object);
        this->give(detail::memory_of(object), sizeof(T), alignof(T));
    }

  private:
    template <class, class>
    friend class deleter;
};

// It keeps the array's length; the last object is destroyed first.
template <class T, class Strategy>
class deleter<T[], Strategy> : private deleter<T, Strategy> {
  public:
    deleter() = default;
    deleter(const source<Strategy> &from, std::size_t n) noexcept
        : deleter<T, Strategy>(from),
          size_(n) {}
    template <detail::seen_as<T> U>
    deleter(const deleter<U[], Strategy> &other) noexcept
        : deleter<T, Strategy>(static_cast<const deleter<U, Strategy> &>(other)),
          size_(other.size_) {}

    std::size_t size() const noexcept { return size_; }

    void operator()(T *first) const noexcept {
        detail::destroy_backwards(first, size_);
        this->give(detail::memory_of(first), size_ * sizeof(T), alignof(T));
    }

  private:
    template <class, class>
    friend class deleter;

    std::size_t size_ = 0;
};

template <class T, class Strategy = arena>
using unique_ptr = std::unique_ptr<T, deleter<T, Strategy>>;

// std::bad_alloc, or what the constructor throws; the memory is given back then. What takes an
// allocator of the strategy, as toft::string does, lies in it with all it holds.
template <class T, class Strategy = arena, class... Args>
    requires detail::makeable<T, Strategy, Args...>
[[nodiscard]] unique_ptr<T, Strategy> make_unique(std::type_identity_t<source<Strategy>> from,
                                                  Args &&...args) {
    void *memory = detail::or_throw(from.take_array(1, sizeof(T), alignof(T)));
    T *object = detail::construct_or_give<T>(
        from, memory, [&] { from.give(memory, sizeof(T), alignof(T)); },
        std::forward<Args>(args)...);
    return unique_ptr<T, Strategy>(object, from);
}

// n objects, value-initialised: make_unique<int[]>(arena, n).
template <class Array, class Strategy = arena>
    requires detail::makeable_array<Array, Strategy>
[[nodiscard]] unique_ptr<Array, Strategy> make_unique(std::type_identity_t<source<Strategy>> from,
                                                      std::size_t n) {
    using T = std::remove_extent_t<Array>;
    T *first = static_cast<T *>(detail::or_throw(from.take_array(n, sizeof(T), alignof(T))));
    detail::undo undone([&] { from.give(first, n * sizeof(T), alignof(T)); });
    detail::construct_array<Strategy>(from, first, n);
    undone.dismiss();
    return unique_ptr<Array, Strategy>(first, deleter<Array, Strategy>(from, n));
}

} // namespace toft

#endif // TOFT_CPP20
#endif
