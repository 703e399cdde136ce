// SPDX-License-Identifier: MIT
#pragma once

#include "subject/session.hpp"

#include <cstddef>
#include <new>

// The subjects of the suite `pool`. A door is a way to an allocator (see programs.hpp); each
// subject runs the session's case through its own door.
namespace toft::lab {

void run_on_malloc(session &);
void run_on_pmr_synchronized_pool(session &);
void run_on_tagged_stack(session &);
void run_on_shared_pool(session &);
void run_on_own_pool(session &);
void run_on_pool_handle(session &);

// An allocator for standard containers over a door that brings none. Any two doors of one type are
// equal.
template <class T, class Door>
struct door_allocator {
    using value_type = T;
    door_allocator() = default;
    template <class U>
    door_allocator(const door_allocator<U, Door> &) {}
    T *allocate(std::size_t n) {
        if (n == 1) return static_cast<T *>(Door().allocate(sizeof(T)));
        return static_cast<T *>(Door().allocate(n * sizeof(T)));
    }
    void deallocate(T *objects, std::size_t n) {
        if (n == 1)
            Door().free(objects, sizeof(T));
        else
            Door().free(objects, n * sizeof(T));
    }
    template <class U>
    bool operator==(const door_allocator<U, Door> &) const {
        return true;
    }
};

} // namespace toft::lab
