// SPDX-License-Identifier: MIT
#include <new>

#include <toft/resource.hpp>

std::pmr::memory_resource *resource_with_rtti(toft_reap *reap);

std::pmr::memory_resource *resource_with_rtti(toft_reap *reap) {
    alignas(toft::reap_resource) static unsigned char memory[sizeof(toft::reap_resource)];
    static toft::reap_resource *resource = new (memory) toft::reap_resource(reap);
    return resource;
}
