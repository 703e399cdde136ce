// SPDX-License-Identifier: MIT
// A shared library with a static Toft of its own; the build names its only function.
#include <cstring>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <toft/toft.hpp>

extern "C" [[gnu::visibility("default")]] bool WORK();

static bool use_pool(toft_pool *pool) {
    std::vector<char *> objects;
    for (std::size_t i = 0; i < 3000; i++) {
        auto *object = static_cast<char *>(toft_pool_alloc(pool, 16 + i % 900));
        if (object == nullptr) return false;
        std::memset(object, 'x', 16 + i % 900);
        objects.push_back(object);
    }
    for (std::size_t i = 0; i < objects.size(); i++) toft_pool_free(pool, objects[i], 16 + i % 900);
    return true;
}

static bool use_containers() {
    toft::pool pool;
    toft::arena arena;
    toft::reap reap;
    toft::map<int, int, toft::pool> in_pool(pool);
    toft::list<int, toft::arena> in_arena(arena);
    toft::map<int, int, toft::reap> in_reap(reap);
    for (int i = 0; i < 3000; i++) {
        in_pool[i] = in_reap[i] = i;
        in_arena.push_back(i);
        if (i % 3 == 0) in_pool.erase(i / 2), in_reap.erase(i / 2);
    }
    return in_pool.size() == in_reap.size() && in_arena.size() == 3000;
}

bool WORK() {
    bool fine[3] = {use_pool(toft_pool_shared()) && use_containers()};
    std::thread first([&] { fine[1] = use_pool(toft_pool_shared()) && use_containers(); });
    first.join();
    std::thread second([&] { fine[2] = use_pool(toft_pool_shared()); });
    second.join();
    return fine[0] && fine[1] && fine[2];
}
