// SPDX-License-Identifier: MIT
// What is done with containers on Toft's strategies beside keeping elements: nodes that change
// their container, strings, elements and adaptors that take the allocator, pointers that own.
#include <doctest/doctest.h>

#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <sstream>
#include <stack>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <toft/toft.hpp>

#include "support/build.hpp"
#include "support/containers.hpp"
#include "support/counting_upstream.hpp"

using namespace toft_test;

TEST_CASE_TEMPLATE("lists splice and merge, sets trade nodes", Strategy, toft::arena, toft::reap) {
    Strategy memory;
    auto a = filled<toft::list<int, Strategy>>(memory, 0, 10);
    auto b = filled<toft::list<int, Strategy>>(memory, 5, 15);
    const int *front = &b.front();
    a.splice(a.begin(), b, b.begin());
    CHECK(&a.front() == front);
    a.sort();
    a.merge(b);
    CHECK(a.size() == 20);
    CHECK(b.empty());
    a.unique();
    a.reverse();
    CHECK(a.size() == 15);

    auto f = filled<toft::forward_list<int, Strategy>>(memory, 0, 5);
    auto g = filled<toft::forward_list<int, Strategy>>(memory, 0, 5);
    f.splice_after(f.before_begin(), g);
    CHECK(std::distance(f.begin(), f.end()) == 10);

    auto m = filled<toft::map<int, int, Strategy>>(memory, 0, 100);
    auto n = filled<toft::map<int, int, Strategy>>(memory, 50, 150);
    const int *value = &m.at(7);
    auto node = m.extract(7);
    node.key() = 1007;
    n.insert(std::move(node));
    CHECK(&n.at(1007) == value);
    m.merge(n);
    CHECK(m.size() == 150);
    (void)m.extract(20); // the handle frees its node

    auto u = filled<toft::unordered_map<int, int, Strategy>>(memory, 0, 100);
    auto v = filled<toft::unordered_map<int, int, Strategy>>(memory, 50, 150);
    v.insert(u.extract(7));
    u.merge(v);
    CHECK(u.size() + v.size() == 200);
}

TEST_CASE_TEMPLATE("strings", Strategy, toft::arena, toft::reap) {
    using string = toft::basic_string<char, Strategy>;
    Strategy one, other;
    string text("a text that is too long for the string itself", one);
    string copied(text, other), assigned("short", other);
    assigned = text;
    CHECK(assigned == text);
    CHECK(copied.get_allocator() == toft::allocator<char, Strategy>(other));
    string moved = std::move(text);
    moved += copied;
    moved.shrink_to_fit();
    swap(moved, assigned);
    CHECK(assigned.size() == 2 * copied.size());
    CHECK((copied + moved).get_allocator() == toft::allocator<char, Strategy>(other));
}

TEST_CASE_TEMPLATE("strings are hashed as their views", Strategy, toft::arena, toft::reap) {
    Strategy memory;
    auto check = [&]<class Char>(std::basic_string_view<Char> view) {
        toft::basic_string<Char, Strategy> text(view, memory);
        std::hash<toft::basic_string<Char, Strategy>> hash;
#ifdef __GLIBCXX__ // which keeps the hash in the nodes only if it seems slow
        static_assert(std::__cache_default<toft::basic_string<Char, Strategy>, decltype(hash)>{});
#endif
        CHECK(hash(text) == std::hash<std::basic_string_view<Char>>()(view));
    };
    check(std::string_view("a text"));
    check(std::wstring_view(L"a text"));
    check(std::u8string_view(u8"a text"));
    check(std::u16string_view(u"a text"));
    check(std::u32string_view(U"a text"));
    using string = toft::basic_string<char, Strategy>;
    toft::unordered_map<string, int, Strategy> counts(memory);
    toft::unordered_set<string, Strategy> seen(memory);
    for (int i = 0; i < 1000; i++) {
        string key(std::to_string(i % 10).c_str(), memory);
        counts[key]++;
        seen.insert(key);
    }
    CHECK(counts.size() == 10);
    CHECK(seen.size() == 10);
    CHECK(counts.at(string("7", memory)) == 100);
    for (const auto &[key, count] : counts)
        CHECK(key.get_allocator() == toft::allocator<char, Strategy>(memory));
}

TEST_CASE_TEMPLATE("a hash table of strings is searched by any text, of which no string is made",
                   Strategy, toft::arena, toft::reap) {
    Strategy memory;
    using string = toft::basic_string<char, Strategy>;
    constexpr const char *text = "a text that is too long for the string itself";
    const toft::text_hash hash;
    CHECK(hash(string(text, memory)) == hash(std::string(text)));
    CHECK(hash(string(text, memory)) == hash(std::string_view(text)));
    CHECK(hash(string(text, memory)) == hash("a text that is too long for the string itself"));
    CHECK(hash(string(text, memory)) == std::hash<string>()(string(text, memory)));
#ifdef __GLIBCXX__
    static_assert(std::__cache_default<string, toft::text_hash>{});
#endif
    toft::unordered_map<string, int, Strategy, toft::text_hash, std::equal_to<>> counts(memory);
    toft::unordered_set<string, Strategy, toft::text_hash, std::equal_to<>> seen(memory);
    counts.emplace(text, 1);
    seen.emplace(text);
    const std::size_t used_bytes = memory.stats().used_bytes;
    CHECK(counts.find(text)->second == 1);
    CHECK(counts.find(std::string_view(text))->second == 1);
    CHECK(seen.contains(text));
    CHECK(!seen.contains("another text that is too long for the string itself"));
    CHECK(memory.stats().used_bytes == used_bytes);
}

TEST_CASE_TEMPLATE("elements that take an allocator get the container's", Strategy, toft::arena,
                   toft::reap) {
    using string = toft::basic_string<char, Strategy>;
    using allocator = toft::allocator<char, Strategy>;
    constexpr const char *text = "a text that is too long for the string itself";
    Strategy memory, other;
    toft::vector<string, Strategy> texts(memory);
    texts.emplace_back(text);
    texts.push_back(string(text, other));
    for (const string &each : texts) CHECK(each.get_allocator() == allocator(memory));
    toft::map<string, toft::vector<string, Strategy>, Strategy> index(memory);
    index.try_emplace(string(text, other)).first->second.emplace_back(text);
    index.emplace(std::piecewise_construct, std::forward_as_tuple("key"),
                  std::forward_as_tuple(3u));
    for (const auto &[key, values] : index) {
        CHECK(key.get_allocator() == allocator(memory));
        CHECK(values.get_allocator() == allocator(memory));
        for (const string &each : values) CHECK(each.get_allocator() == allocator(memory));
    }
}

TEST_CASE_TEMPLATE("unique and shared pointers", Strategy, toft::arena, toft::reap) {
    struct alignas(128) wide {
        fragile value = 1;
    };
    int alive = fragile::alive;
    Strategy memory;
    std::size_t used_bytes = 0;
    for (int round = 0; round < 3; round++) {
        auto one = toft::make_unique<fragile, Strategy>(memory, 7);
        CHECK(one->value == 7);
        toft::unique_ptr<fragile, Strategy> other = std::move(one);
        other.reset();
        auto shared = std::allocate_shared<wide>(toft::allocator<wide, Strategy>(memory));
        CHECK(reinterpret_cast<std::uintptr_t>(shared.get()) % 128 == 0);
        std::weak_ptr<wide> weak = shared;
        shared.reset();
        CHECK(weak.expired());
        fragile::until_throw = 1;
        CHECK_THROWS_AS((void)(toft::make_unique<fragile, Strategy>(memory, 7)),
                        std::runtime_error);
        weak.reset();
        if (round == 0) used_bytes = memory.stats().used_bytes;
    }
    CHECK(fragile::alive == alive);
    if (!tracked()) CHECK(memory.stats().used_bytes == used_bytes);
}

TEST_CASE_TEMPLATE("unique pointers to const objects", Strategy, toft::arena, toft::reap) {
    int alive = fragile::alive;
    Strategy memory;
    {
        auto one = toft::make_unique<const fragile, Strategy>(memory, 7);
        toft::unique_ptr<const fragile, Strategy> other = std::move(one);
        CHECK(other->value == 7);
    }
    CHECK(fragile::alive == alive);
}

TEST_CASE_TEMPLATE("unique pointers that are empty at first", Strategy, toft::arena, toft::reap,
                   toft::pool) {
    struct node {
        fragile value = 1;
        toft::unique_ptr<node, Strategy> left, right = nullptr;
    };
    int alive = fragile::alive;
    Strategy memory;
    {
        auto root = toft::make_unique<node, Strategy>(memory);
        CHECK(root->left == nullptr);
        root->left = toft::make_unique<node, Strategy>(memory);
        root->left->right = toft::make_unique<node, Strategy>(memory);
        std::map<int, toft::unique_ptr<node, Strategy>> nodes;
        nodes[1] = std::move(root->left);
        CHECK(fragile::alive == alive + 3);
    }
    CHECK(fragile::alive == alive);
}

TEST_CASE_TEMPLATE("an owner takes over one that lies in what it owns", Strategy, toft::arena,
                   toft::reap, toft::pool) {
    Strategy outer;
    Strategy *inner = nullptr;
    if constexpr (std::is_same_v<Strategy, toft::arena>)
        inner = outer.template make<Strategy>(); // whose destructor runs in the assignment
    else
        inner = ::new (outer.allocate(sizeof(Strategy), alignof(Strategy))) Strategy;
    auto *kept = inner->template make<int>(42);
    outer = std::move(*inner);
    CHECK(*kept == 42);
    for (int i = 0; i < 100; i++) CHECK(outer.template make<int>(i) != kept);
    CHECK(*kept == 42);
}

TEST_CASE("a reap hands out again what its containers give up") {
    counting_upstream upstream;
    toft::reap reap({.upstream = upstream.c()});
    toft::list<int, toft::reap> queue(reap);
    toft::map<int, int, toft::reap> map(reap);
    std::size_t peak_bytes = 0;
    for (int i = 0; i < 100000; i++) {
        queue.push_back(i);
        map.emplace(i, i);
        if (i >= 100) queue.pop_front(), map.erase(i - 100);
        if (i == 1000) peak_bytes = upstream.peak_bytes;
    }
    if (!tracked()) CHECK(upstream.peak_bytes == peak_bytes);
}

TEST_CASE("what fits an inline reap takes nothing from its upstream") {
    if (tracked()) return; // objects take more room then
    counting_upstream upstream;
    toft::inline_reap<4096> reap({.upstream = upstream.c()});
    for (int round = 0; round < 100; round++) {
        toft::list<int, toft::reap> queue(reap);
        toft::vector<int, toft::reap> numbers(reap);
        for (int i = 0; i < 200; i++) {
            if (i % 2 == 0) numbers.push_back(i);
            queue.push_back(i);
            if (i > 20) queue.pop_front();
        }
    }
    CHECK(upstream.calls == 0);
}

namespace {

const char *const long_text = "a text that is too long for the string itself";

toft::string text_in(toft::arena &arena) { return toft::string(long_text, arena); }

// As docs/choosing.md has it.
struct document {
    std::unique_ptr<toft::arena> memory = std::make_unique<toft::arena>();
    toft::vector<toft::string> lines{*memory};
    document() = default;
    document(document &&) = default;
    document &operator=(document &&) = delete;
};

} // namespace

TEST_CASE("a temporary of a scratch arena is copied where the arena is named again") {
    toft::arena keep;
    toft::string name(keep);
    toft::vector<std::optional<toft::string>> optionals(keep);
    toft::vector<std::variant<int, toft::string>> variants(keep);
    {
        toft::arena scratch;
        name = toft::string(text_in(scratch), keep);
        optionals.emplace_back(toft::string(text_in(scratch), keep));
        variants.emplace_back(toft::string(text_in(scratch), keep));
    }
    CHECK(name == long_text);
    CHECK(*optionals[0] == long_text);
    CHECK(std::get<1>(variants[0]) == long_text);
}

TEST_CASE("a class that owns its arena by a pointer moves with its containers") {
    std::vector<document> documents;
    for (int i = 0; i < 9; i++)
        documents.emplace_back().lines.push_back(text_in(*documents[0].memory));
    for (document &each : documents) {
        each.lines.emplace_back(long_text);
        CHECK(each.lines.get_allocator() == toft::allocator<toft::string>(*each.memory));
        CHECK(each.lines.back() == long_text);
    }
}

TEST_CASE_TEMPLATE("adaptors and streams", Strategy, toft::arena, toft::reap) {
    Strategy memory;
    toft::allocator<int, Strategy> here(memory);
    std::stack<int, toft::deque<int, Strategy>> stack(here);
    std::queue<int, toft::list<int, Strategy>> queue(here);
    std::priority_queue<int, toft::vector<int, Strategy>> heap(std::less<int>(), here);
    for (int i = 0; i < 1000; i++) stack.push(i), queue.push(i), heap.push(i * 7 % 1000);
    for (int i = 0; i < 1000; i++) {
        CHECK(stack.top() == 999 - i);
        CHECK(queue.front() == i);
        CHECK(heap.top() == 999 - i);
        stack.pop(), queue.pop(), heap.pop();
    }
    auto *raw = [&] {
        if constexpr (std::same_as<Strategy, toft::arena>)
            return memory.c_arena();
        else
            return memory.c_reap();
    }();
    std::stack<int, toft::deque<int, Strategy>> by_pointer(raw);
    by_pointer.push(1);
    CHECK(by_pointer.top() == 1);
    using allocator = toft::allocator<char, Strategy>;
    std::basic_ostringstream<char, std::char_traits<char>, allocator> stream(std::ios_base::out,
                                                                             allocator(memory));
    for (int i = 0; i < 1000; i++) stream << i << ' ';
    CHECK(stream.view().starts_with("0 1 2 "));
    CHECK(stream.view().ends_with(" 998 999 "));
    CHECK(stream.str().get_allocator() == allocator(memory));
}
