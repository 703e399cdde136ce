// SPDX-License-Identifier: MIT
// Random programs: no region may ever hold an object that outlives it, and a region's figures are
// those that a plain count gives.
#include "analysed.hpp"
#include "escapes_by_definition.hpp"
#include "planted_program.hpp"

#include <algorithm>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <random>
#include <vector>

using namespace toft::lab;

namespace {

// Calls, allocations, resizes and frees by chance. Some programs mostly free what the present call
// made, others free anything; some have several threads.
class random_program {
  public:
    explicit random_program(std::uint32_t seed) : chance_(seed) {
        tidy_ = below(10);
        threads_ = 1 + below(4) / 2;
        functions_ = 2 + below(6);
        largest_ = below(2) ? 100 : 3000;
        for (std::uint32_t t = 0; t != threads_; ++t) {
            made.on_thread(t);
            calls_.emplace_back(1);
        }
        made.on_thread(thread_);
        for (int i = 0; i != 400; ++i) step();
        for (std::uint32_t t = 0; t != threads_; ++t) {
            thread_ = t;
            made.on_thread(t);
            while (calls_[t].size() > 1) leave();
        }
    }

    planted_program made;

  private:
    using objects = std::vector<planted_program::object>;

    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(chance_() % n); }
    unsigned line() { return 1 + below(3); }

    void leave() {
        // What a tidy call made, it frees.
        objects &own = calls_[thread_].back();
        for (const planted_program::object o : own)
            if (below(10) < tidy_)
                made.free(9, o);
            else
                loose_.push_back(o);
        calls_[thread_].pop_back();
        made.leave();
    }

    void free_any(objects &from) {
        if (from.empty()) return;
        const std::uint32_t i = below(static_cast<std::uint32_t>(from.size()));
        std::swap(from[i], from.back());
        made.free(line(), from.back());
        from.pop_back();
    }

    void step() {
        if (below(8) == 0) thread_ = below(threads_), made.on_thread(thread_);
        std::vector<objects> &calls = calls_[thread_];
        switch (below(8)) {
        case 0:
        case 1:
            if (calls.size() == 8) return;
            made.enter(fmt::format("f{}", below(functions_)), line());
            calls.emplace_back();
            return;
        case 2:
            if (calls.size() > 1) leave();
            return;
        case 3:
            return free_any(calls.back());
        case 4:
            return free_any(loose_);
        case 5:
            if (!calls.back().empty())
                made.resize(line(), calls.back().back(), 16 + below(largest_));
            return;
        default:
            calls.back().push_back(made.make(line(), 16 + below(largest_)));
        }
    }

    std::mt19937 chance_;
    std::uint32_t tidy_, threads_, functions_, largest_, thread_ = 0;
    std::vector<std::vector<objects>> calls_; // by thread: what each call made
    objects loose_;
};

} // namespace

TEST_CASE("random programs: no region holds an object that escapes, by the definition") {
    std::size_t regions = 0, objects = 0, below_functions = 0;
    for (std::uint32_t seed = 0; seed != 3000; ++seed) {
        CAPTURE(seed);
        const random_program p(seed);
        for (const found_region &r : analyse(p.made.recorded()).regions) {
            std::vector<std::uint32_t> sites;
            for (const owned_site &s : r.sites) sites.push_back(s.site);
            REQUIRE(escapes_by_definition(p.made, r.function, sites) == 0);
            regions += !sites.empty();
            below_functions += r.function != 0;
            objects += r.objects;
        }
    }
    // The test would be of little use without many of them.
    CHECK(regions > 3000);
    CHECK(below_functions > 3000);
    CHECK(objects > 50'000);
}

TEST_CASE("random programs: each site's scope is as deep as all its objects allow") {
    for (std::uint32_t seed = 0; seed != 300; ++seed) {
        CAPTURE(seed);
        const random_program p(seed);
        const analysed a = analyse(p.made.recorded());
        for (const scope_group &g : a.groups)
            for (const owned_site &s : g.sites) {
                REQUIRE(escapes_by_definition(p.made, s.scope, {s.site}) == 0);
                // One call further in, some object of the site escapes: of this site, or of another
                // that comes by the same way.
                const auto depth = static_cast<std::int32_t>(a.tree[s.scope].depth);
                REQUIRE(a.all.sites[s.site].scope() >= depth);
            }
    }
}

TEST_CASE("random programs: an arena is never larger than what is allowed") {
    std::size_t dropped = 0;
    for (std::uint32_t seed = 0; seed != 500; ++seed)
        for (const found_region &r : analyse(random_program(seed).made.recorded()).regions) {
            dropped += r.bloating.size();
            if (!r.sites.empty())
                CHECK(r.arena_peak_bytes <=
                      allowed_peak_bytes(r.needed_peak_bytes, r.lives_at_once));
        }
    CHECK(dropped > 0);
}
