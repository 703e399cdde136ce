// SPDX-License-Identifier: MIT
// Toft's arena, reap and pool by toft::allocator.
#include "work.hpp"

namespace toft::lab {
namespace {

// The vector that an arena lets grow in place.
void region_vectors(session &run, unsigned threads) {
    using memory = toft_memory<arena, place::stack>;
    measure_small_vectors<memory>(run, threads, 0, [](memory &in, int elements) {
        region_vector<int> numbers;
        const source<arena> from = in.get<int>();
        for (int number = 0; number != elements; ++number) numbers.push_back(from, number);
        escape(*numbers.data());
    });
}

constexpr container_programs reaps() {
    container_programs programs = programs_of<toft_memory<reap, place::heap>>();
    programs.pair = [](session &run, unsigned) {
        toft_reap memory = TOFT_REAP_INIT;
        escape(memory);
        measure_pairs(
            run, [&] { return toft_reap_alloc(&memory, pair_bytes, 8); },
            [&](void *object) { toft_reap_free(&memory, object, pair_bytes, 8); });
        toft_reap_release(&memory);
    };
    return programs;
}

void pairs_of_shared_pool(session &run, unsigned) {
    measure_pairs(
        run, [] { return toft_pool_alloc(toft_pool_shared(), pair_bytes); },
        [](void *object) { toft_pool_free(toft_pool_shared(), object, pair_bytes); });
}

void pairs_of_pool_handle(session &run, unsigned) {
    toft_pool_cache *handle = toft_pool_thread_cache(toft_pool_shared());
    measure_pairs(
        run, [&] { return toft_pool_cache_alloc(handle, pair_bytes); },
        [&](void *object) { toft_pool_cache_free(handle, object, pair_bytes); });
}

constexpr container_programs shared_pools() {
    container_programs programs = programs_of<shared_pool_memory>();
    programs.pair = pairs_of_shared_pool;
    return programs;
}

} // namespace

const container_programs arena_programs = programs_of<toft_memory<arena, place::heap>>();
const container_programs arena_stack_programs = programs_of<toft_memory<arena, place::stack>>();
const container_programs region_vector_programs = {.small_vector = region_vectors};
const container_programs reap_programs = reaps();
const container_programs reap_stack_programs = programs_of<toft_memory<reap, place::stack>>();
const container_programs shared_pool_programs = shared_pools();
const container_programs pool_handle_programs = {.pair = pairs_of_pool_handle};

} // namespace toft::lab
