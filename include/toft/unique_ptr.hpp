// SPDX-License-Identifier: MIT
// std::unique_ptr to an object in an arena, a reap or a pool.
//
//     toft::unique_ptr<node> root = toft::make_unique<node>(arena, "root");
//     toft::unique_ptr<node, toft::reap> leaf = toft::make_unique<node, toft::reap>(reap, "leaf");
//
// Include the header of the strategy as well: <toft/arena.hpp>, <toft/reap.hpp> or <toft/pool.hpp>.
// The object is destroyed, and its memory given back to the strategy: a reap and a pool reuse it;
// an arena does if it was its last allocation. One pointer more than a plain one, none more on the
// shared pool. The strategy must outlive the object; resetting it under a living one is an error.
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

// Only for objects of type T itself: the size of a derived one isn't known here, and there is no
// header that knows it. So there is no conversion from a deleter of another type.
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

    void operator()(T *object) const noexcept {
        std::destroy_at(object);
        this->give(detail::memory_of(object), sizeof(T), alignof(T));
    }
};

template <class T, class Strategy = arena>
using unique_ptr = std::unique_ptr<T, deleter<T, Strategy>>;

// std::bad_alloc, or what the constructor throws; the memory is given back then.
template <class T, class Strategy = arena, class... Args>
    requires detail::makeable<T, Args...>
[[nodiscard]] unique_ptr<T, Strategy> make_unique(std::type_identity_t<source<Strategy>> from,
                                                  Args &&...args) {
    void *memory = detail::or_throw(from.take_array(1, sizeof(T), alignof(T)));
    T *object = detail::construct_or_give<T>(
        memory, [&] { from.give(memory, sizeof(T), alignof(T)); }, std::forward<Args>(args)...);
    return unique_ptr<T, Strategy>(object, from);
}

} // namespace toft

#endif // TOFT_CPP20
#endif
