// SPDX-License-Identifier: MIT
// Other libraries' pairs get the allocator of their container as std::pair does, and a class that
// is derived from std::pair stays whole.
#include <doctest/doctest.h>

#include <string>
#include <tuple>
#include <utility>

#include <toft/toft.hpp>

#include "support/on_each_strategy.hpp"

using namespace toft_test;

namespace {

// As the elements of boost::container::map are.
template <class First, class Second>
struct others_pair {
    using first_type = First;
    using second_type = Second;
    others_pair() = default;
    others_pair(const First &f, const Second &s) : first(f), second(s) {}
    template <class... X, class... Y>
    others_pair(std::piecewise_construct_t, std::tuple<X...> f, std::tuple<Y...> s)
        : first(std::make_from_tuple<First>(f)),
          second(std::make_from_tuple<Second>(s)) {}
    // As boost::container::map makes one for a key.
    struct tag {};
    template <class X, class... Y>
    others_pair(tag, X &&x, Y &&...y) : first(std::forward<X>(x)),
                                        second(std::forward<Y>(y)...) {}
    First first;
    Second second;
};

template <class String>
struct more_than_a_pair : std::pair<String, int> {
    using std::pair<String, int>::pair;
    int more = 0;
};

} // namespace

TEST_ON_EACH("another library's pair hands the allocator on like std::pair") {
    Memory memory, elsewhere;
    using A = decltype(memory.allocator);
    using string = string_of<A>;
    using pair = others_pair<string, string>;
    const string text(long_text, elsewhere.allocator);
    const pair entry(text, text);
    vector_of<pair, A> pairs(memory.allocator);
    pairs.reserve(9);
    pairs.emplace_back();
    pairs.emplace_back(entry);
    pairs.emplace_back(pair(entry));
    pairs.emplace_back(static_cast<const pair &&>(entry));
    pairs.emplace_back(std::pair<string, string>(text, text));
    pairs.emplace_back(long_text, text);
    pairs.emplace_back(typename pair::tag(), text, text);
    pairs.emplace_back(typename pair::tag(), "", long_text);
    for (const pair &each : pairs) {
        CHECK(each.first.get_allocator() == memory.allocator);
        CHECK(each.second.get_allocator() == memory.allocator);
        CHECK(each.second == (&each == pairs.data() ? "" : long_text));
    }
    vector_of<more_than_a_pair<string>, A> others(memory.allocator);
    others.emplace_back(text, 1);
    others.back().more = 7;
    others.push_back(others.front());
    CHECK(others.front().more == 7);
    CHECK(others.back().more == 7);
}
