// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace toft::lab {

// One of the standard library's memory resources, whose type a subject knows. memory_resource's
// allocate is a virtual call even then, because the compiler can't tell that no other class derives
// from that type. This one calls the type's own function, which can be inlined.
template <class Resource>
struct direct_resource : Resource {
    using Resource::Resource;
    [[gnu::always_inline]] void *take(std::size_t size, std::size_t alignment) {
        return Resource::do_allocate(size, alignment);
    }
};

} // namespace toft::lab
