// SPDX-License-Identifier: MIT
// How one memory_resource knows another of its own type, as std::pmr has them and as Boost has.
#ifndef TOFT_DETAIL_VIRTUAL_TABLE_HPP
#define TOFT_DETAIL_VIRTUAL_TABLE_HPP

#include <string.h>

namespace toft {
namespace detail {

// The type of a resource, also where there is no RTTI, or only in some of a program's files: an
// object begins with its type's table, and a final class shares its own with no other.
template <class Resource>
const void *virtual_table(const Resource &resource) noexcept {
    const void *table;
    memcpy(&table, static_cast<const void *>(&resource), sizeof table);
    return table;
}

} // namespace detail
} // namespace toft

#endif
