// SPDX-License-Identifier: MIT
// A program without exceptions and RTTI, in which one file may have RTTI nonetheless.
#include <cstdint>
#include <cstdio>
#include <memory_resource>
#include <new>

#include <toft/pooled.hpp>
#include <toft/toft.hpp>

std::pmr::memory_resource *resource_with_rtti(toft_reap *reap); // of other.cpp

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "%s:%d: %s doesn't hold\n", __FILE__, __LINE__, #condition);      \
            return 1;                                                                              \
        }                                                                                          \
    } while (false)

struct node : toft::pooled<node> {
    node *next = nullptr;
};

int handled = 0;

void give_up() {
    handled++;
    std::set_new_handler(nullptr);
}

int main() {
    toft::arena arena, other_arena;
    toft::reap reap;
    toft::arena_resource one(arena), same(arena), other(other_arena);
    toft::reap_resource of_reap(reap);
    std::pmr::memory_resource &any = one;
    REQUIRE(any.is_equal(one));
    REQUIRE(any.is_equal(same));
    REQUIRE(!any.is_equal(other));
    REQUIRE(!any.is_equal(of_reap));
    REQUIRE(!of_reap.is_equal(any));
    REQUIRE(!any.is_equal(*std::pmr::new_delete_resource()));
    REQUIRE(of_reap.is_equal(*resource_with_rtti(reap.c_reap())));
    REQUIRE(resource_with_rtti(reap.c_reap())->is_equal(of_reap));

    std::pmr::list<std::pmr::string> left(&one), right(&same);
    for (int i = 0; i < 100; i++) right.emplace_back("a text that is too long for the string");
    left.splice(left.begin(), right);
    REQUIRE(left.size() == 100 && right.empty());
    toft::map<toft::string, toft::vector<int>> index(arena);
    index[toft::string("one", arena)].push_back(1);
    toft::resource_upstream upstream(&of_reap);
    toft::arena inner({.upstream = upstream.get()});
    REQUIRE(inner.try_allocate(100) != nullptr);
    auto owner = toft::pool::shared().make_unique<int>(3);
    REQUIRE(*owner == 3);
    std::set_new_handler(give_up);
    REQUIRE(node::operator new(SIZE_MAX / 2, std::nothrow) == nullptr);
    REQUIRE(handled == 1);
    std::printf("toft %s\n", TOFT_VERSION);
}
