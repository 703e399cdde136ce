// SPDX-License-Identifier: MIT
// A file without exceptions in a program that has them.
#include "quiet.hpp"

void take_quietly(toft::arena &arena, toft::pool_ref pool) {
    take(arena, 10);
    take(pool, 10);
    take_vector(arena, 10);
    toft::resource_upstream upstream;
    toft::arena on_resource({.upstream = upstream.get()});
    take(on_resource, 10);
    delete[] new (std::nothrow) node[1];
}
