// SPDX-License-Identifier: MIT
// A cache of the pages asked for last, as a proxy has one; the names of pages are lines of standard
// input, and a page that isn't in the cache is fetched:
//
//     $ printf 'a\nb\na\n' | example_cache 2
//     fetched a
//     fetched b
//     cached a
//     1 of 3 from the cache
//
// Pages come and go one by one, so they live in a reap: the memory of a page that is dropped is
// handed out again for one of a like size. So a cache of pages of like sizes takes no more than its
// fullest moment did. Where sizes are mixed, or grow with time, the reap comes to hold many times
// what the pages fill. A pool holds less then, and gives back what lies idle. The last line on
// standard error tells both figures.
//
// README.md beside this file says how it is compiled.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>

#include <toft/toft.hpp>

namespace {

using text = toft::basic_string<char, toft::reap>;

class cache {
  public:
    explicit cache(std::size_t capacity) : capacity_(capacity) {}

    // The page of this name, and whether it was there.
    std::pair<const text &, bool> get(std::string_view name) {
        if (auto found = index_.find(name); found != index_.end()) {
            pages_.splice(pages_.begin(), pages_, found->second);
            return {pages_.front().contents, true};
        }
        if (pages_.size() == capacity_) {
            bytes_ -= pages_.back().bytes();
            index_.erase(std::string_view(pages_.back().name));
            pages_.pop_back();
        }
        pages_.push_front(fetch(name));
        index_.emplace(pages_.front().name, pages_.begin());
        bytes_ += pages_.front().bytes();
        most_bytes_ = std::max(most_bytes_, bytes_);
        return {pages_.front().contents, false};
    }

    std::size_t most_bytes() const { return most_bytes_; }
    std::size_t held_bytes() const { return memory_.stats().reserved_bytes; }

  private:
    struct page {
        text name, contents;
        std::size_t bytes() const { return name.size() + contents.size(); }
    };
    using pages = toft::list<page, toft::reap>;

    page fetch(std::string_view name) {
        page fetched = {text(name, memory_), text("contents of ", memory_)};
        fetched.contents.append(name);
        return fetched;
    }

    std::size_t capacity_, bytes_ = 0, most_bytes_ = 0;
    toft::reap memory_;    // before what lives in it
    pages pages_{memory_}; // the newest first
    toft::unordered_map<std::string_view, pages::iterator, toft::reap> index_{memory_};
};

} // namespace

int main(int argc, char **argv) {
    std::size_t capacity = 100;
    if (argc > 1) {
        const std::string_view given = argv[1];
        const auto [end, error] =
            std::from_chars(given.data(), given.data() + given.size(), capacity);
        if (error != std::errc() || end != given.data() + given.size() || capacity == 0) {
            std::cerr << "usage: cache [PAGES], at least 1\n";
            return 2;
        }
    }
    cache recent(capacity);
    std::uint64_t asked = 0, hits = 0;
    for (std::string name; std::getline(std::cin, name); asked++) {
        const bool hit = recent.get(name).second;
        hits += hit ? 1 : 0;
        if (asked < 10) std::cout << (hit ? "cached " : "fetched ") << name << '\n';
    }
    std::cout << hits << " of " << asked << " from the cache\n";
    std::cerr << recent.most_bytes() << " bytes of pages at most, " << recent.held_bytes()
              << " bytes held\n";
}
