// SPDX-License-Identifier: MIT
// std::pmr's default resource over the current strategy, and over the pool.
#include <doctest/doctest.h>

#include <memory_resource>
#include <string>
#include <vector>

#include <toft/resource.hpp>

namespace {

// Sets the default resource for a block.
class default_resource {
  public:
    explicit default_resource(std::pmr::memory_resource *resource)
        : before_(std::pmr::set_default_resource(resource)) {}
    ~default_resource() { std::pmr::set_default_resource(before_); }
    default_resource(const default_resource &) = delete;
    default_resource &operator=(const default_resource &) = delete;

  private:
    std::pmr::memory_resource *before_;
};

const char words[] = "a text that is too long to lie in the string itself";

} // namespace

TEST_CASE("pmr's default resource over the current strategy") {
    toft::current_resource resource, another;
    CHECK(resource == another);
    default_resource set(&resource);
    toft::arena arena;
    std::pmr::vector<std::pmr::string> outside;
    {
        toft::use block(arena);
        std::pmr::vector<std::pmr::string> inside(100, words);
        CHECK(arena.stats().used_bytes >= 100 * sizeof words);
        outside.assign(100, words); // in the block: its resource looks when it allocates
        CHECK(toft_pool_of(outside.data()) == nullptr);
    }
    std::pmr::vector<std::pmr::string> copy = outside;
    CHECK(toft_pool_of(copy.data()) == toft_pool_shared());
    outside = {};
    CHECK(copy[99] == words);
    struct alignas(256) wide {
        char bytes[256];
    };
    toft::use block(arena);
    std::pmr::vector<wide> aligned(3);
    CHECK(reinterpret_cast<std::uintptr_t>(aligned.data()) % 256 == 0);
}

TEST_CASE("pmr's default resource over the shared pool") {
    toft::strategy_resource<toft::shared_pool> resource;
    default_resource set(&resource);
    std::pmr::string text(words);
    CHECK(toft_pool_of(text.data()) == toft_pool_shared());
}
