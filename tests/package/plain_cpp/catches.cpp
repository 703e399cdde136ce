// SPDX-License-Identifier: MIT
// What fails here throws, though a file without exceptions uses the same functions.
#include <cstdio>
#include <new>

#include "quiet.hpp"

namespace {

bool throws(auto function) {
    try {
        function();
    } catch (const std::bad_alloc &) {
        return true;
    }
    return false;
}

} // namespace

int main() {
    toft::arena arena, small({.limit_bytes = 4096});
    take_quietly(arena, toft::pool::shared());
    const std::size_t large = 1 << 20, too_large = ~std::size_t(0) / 2 + 1;
    if (!throws([&] { take(small, large); })) return 1;
    if (!throws([&] { take(toft::pool::shared(), too_large); })) return 2;
    if (!throws([&] { take_vector(small, large); })) return 3;
    toft::resource_upstream upstream(std::pmr::null_memory_resource());
    toft::arena on_resource({.upstream = upstream.get()});
    if (on_resource.try_allocate(10) != nullptr) return 4;
    std::set_new_handler([] { throw std::bad_alloc(); });
    std::size_t many = too_large / sizeof(node) / 2; // no constant, whose array would be refused
    if (new (std::nothrow) node[many] != nullptr) return 5;
    std::printf("toft %s\n", TOFT_VERSION);
}
