// SPDX-License-Identifier: MIT
// toft::arena's copies of text and of arrays.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <toft/arena.hpp>
#include <toft/region_vector.hpp>

namespace {

// Nobody says where it ends.
struct endless {
    const int *begin() const { return nullptr; }
    std::unreachable_sentinel_t end() const { return {}; }
};

template <class Objects>
concept copied = requires(toft::arena &arena, const Objects &objects) { arena.copy(objects); };
static_assert(copied<std::vector<int>> && copied<int[2][3]>);
static_assert(!copied<toft::region_vector<int>[2]>, "what forbids copies");
static_assert(!copied<volatile int[2]>);
static_assert(std::ranges::contiguous_range<endless> && !copied<endless>, "no size");

} // namespace

TEST_CASE("copies of text and of spans") {
    toft::arena arena;
    std::memset(arena.allocate(1000), 'x', 1000); // what lies behind them isn't zero
    arena.reset();
    std::string text = "some text";
    std::string_view copied = arena.copy(text);
    CHECK(copied == text);
    CHECK(copied.data() != text.data());
    CHECK(copied.data()[copied.size()] == '\0');
    CHECK(arena.copy("").empty());
    CHECK(arena.copy(std::string_view()).data()[0] == '\0');
    CHECK(arena.copy(std::string_view("with\0nul", 8)).size() == 8);
    const std::array numbers = {1, 2, 3};
    std::span<int> same = arena.copy(std::span<const int>(numbers));
    CHECK(std::vector(same.begin(), same.end()) == std::vector{1, 2, 3});
    CHECK(arena.copy(std::span<const int>()).empty());
}

TEST_CASE("an array of char is copied within its bounds: a literal as text, others whole") {
    toft::arena arena;
    std::string_view literal = arena.copy("text\0and more");
    CHECK(literal == "text");
    const char unended[4] = {'R', 'I', 'F', 'F'};
    std::string_view text = arena.copy(unended);
    CHECK(text == std::string_view(unended, 4));
    CHECK(text.data()[4] == '\0');
    char bytes[8] = {1, 0, 2, 0, 3, 0, 4, 0};
    std::span<char> copied = arena.copy(bytes);
    CHECK(std::ranges::equal(copied, bytes));
    CHECK(copied.data() != bytes);
    char magic[4] = {'R', 'I', 'F', 'F'};
    CHECK(arena.copy(magic).size() == 4);
    char *pointer = bytes;
    std::string_view first = arena.copy(pointer);
    CHECK(first == "\1");
}

TEST_CASE("a list in braces is copied as its objects") {
    toft::arena arena;
    std::span<int> numbers = arena.copy({10, 20, 30});
    CHECK(std::ranges::equal(numbers, std::array{10, 20, 30}));
    std::span<char> letters = arena.copy({'a', '\0'});
    CHECK(letters.size() == 2);
    struct fixed {
        const int value;
    };
    CHECK(arena.copy({fixed{1}, fixed{2}})[1].value == 2);
    std::string_view none = arena.copy({});
    CHECK(none.empty());
    std::span<wchar_t> wide = arena.copy(L"ab");
    CHECK(wide.size() == 3);
}

TEST_CASE("text as printf would print it") {
    toft::arena arena;
    CHECK(toft_arena_sprintf(arena.c_arena(), "%d and %s", 17, "more") ==
          std::string("17 and more"));
    CHECK(toft_arena_sprintf(arena.c_arena(), "%s", "") == std::string());
    for (const int length : {254, 255, 256, 257, 100'000}) { // the first try has room for 255
        const std::string text(static_cast<std::size_t>(length), 'x');
        CHECK(toft_arena_sprintf(arena.c_arena(), "%s", text.c_str()) == text);
        CHECK(toft_arena_sprintf(arena.c_arena(), "%.*s", length, text.c_str()) == text);
    }
}

TEST_CASE("text that can't be printed, or has no room, is NULL") {
    toft_arena_options options = {};
    options.limit_bytes = 64 << 10;
    toft::arena arena(options);
    const std::size_t before = arena.stats().used_bytes;
    const wchar_t outside[] = {static_cast<wchar_t>(0x80000000U), 0};
    CHECK(toft_arena_sprintf(arena.c_arena(), "%ls", outside) == nullptr);
    CHECK(arena.stats().used_bytes == before);
    CHECK(toft_arena_sprintf(arena.c_arena(), "%100000d", 1) == nullptr);
    CHECK(toft_arena_sprintf(arena.c_arena(), "%d", 1) == std::string("1"));
}
