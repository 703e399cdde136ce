// SPDX-License-Identifier: MIT
#include "property/pool_model.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include <toft/pool.h>

#include "property/extents.hpp"
#include "property/require.hpp"
#include "property/sequence.hpp"
#include "support/counting_upstream.hpp"

namespace toft_test {
namespace {

struct object {
    unsigned char *memory = nullptr;
    std::size_t size = 0;
    std::size_t alignment = 0; // 0: that of its size
    unsigned char stamp = 0;
    bool sizeless = false; // must be freed without its size
};

// All bytes of small objects, and of large ones some on each page.
template <class Visit>
void for_each_stamped(const object &o, std::size_t bytes, Visit visit) {
    for (std::size_t i = 0; i < bytes; i += i < 1024 ? 1 : 509) visit(o.memory[i]);
}

void stamp(const object &o) {
    for_each_stamped(o, o.size, [&](unsigned char &byte) { byte = o.stamp; });
}

void verify(const object &o, std::size_t bytes) {
    bool intact = true;
    for_each_stamped(o, bytes, [&](unsigned char byte) { intact &= byte == o.stamp; });
    REQUIRE_TRUE(intact);
}

class sequence {
  public:
    explicit sequence(choices &choice) : choice_(choice) {
        toft_pool_options options = {};
        own_upstream_ = one_in(2);
        if (own_upstream_) options.upstream = upstream_.c();
        keeps_all_ = own_upstream_ && one_in(4);
        if (keeps_all_) upstream_.take_nothing_back();
        if (one_in(4)) options.limit_bytes = 1 + below(std::size_t(1) << (18 + below(8)));
        limit_bytes_ = options.limit_bytes;
        target_ = below(2000);
        pool_ = toft_pool_create(&options);
        REQUIRE_TRUE(pool_ != nullptr); // its record comes from the shared pool
    }

    ~sequence() {
        free_all();
        check_stats();
        REQUIRE_TRUE(toft_pool_get_stats(pool_).live_bytes == 0);
        toft_pool_destroy(pool_);
        REQUIRE_TRUE(keeps_all_ || upstream_.live_blocks() == 0);
    }

    void step() {
        const std::size_t choice = below(128);
        if (choice < 96)
            (below(2 * target_ + 1) >= live_.size()) ? allocate() : free_at(below(live_.size()));
        else if (choice < 116)
            resize();
        else if (choice < 120)
            look();
        else if (choice < 123)
            ask_the_impossible();
        else if (choice == 123)
            fail_for_a_while();
        else if (choice == 124)
            target_ = below(2000);
        else if (one_in(8))
            toft_pool_trim(pool_);
        else if (one_in(32))
            free_all();
        else
            check_stats();
    }

  private:
    std::size_t below(std::size_t bound) { return choice_.below(bound); }
    bool one_in(std::size_t n) { return choice_.one_in(n); }

    std::size_t any_size() {
        switch (below(64)) {
        case 0:
            return below(one_in(8) ? std::size_t(3) << 20 : std::size_t(1) << 20);
        case 1:
        case 2:
        case 3:
            return below(40000);
        default:
            return below(600);
        }
    }
    std::size_t any_alignment() { return std::size_t(1) << below(one_in(32) ? 21 : 13); }

    // What wasn't there may be missing only where a limit or an upstream says no.
    bool must_be_there() const { return limit_bytes_ == 0 && !failing_; }

    void add(object made) {
        const std::size_t expected = made.alignment != 0 ? made.alignment : made.size > 8 ? 16 : 8;
        REQUIRE_TRUE(reinterpret_cast<std::uintptr_t>(made.memory) % expected == 0);
        REQUIRE_TRUE(toft_pool_of(made.memory) == pool_);
        extents_.add(made.memory, made.size);
        made.stamp = ++stamp_;
        stamp(made);
        live_.push_back(made);
    }

    object remove(std::size_t index) {
        object removed = live_[index];
        verify(removed, removed.size);
        extents_.remove(removed.memory);
        live_[index] = live_.back();
        live_.pop_back();
        return removed;
    }

    // --- allocation ---

    struct answer {
        void *memory;
        bool zeroed = false;
    };

    answer ask(const object &wanted) {
        if (one_in(4)) {
            const std::size_t count = wanted.size % 4 == 0 ? 4 : 1;
            const std::size_t bytes = wanted.size / count;
            return {wanted.alignment == 0
                        ? toft_pool_calloc(pool_, count, bytes)
                        : toft_pool_calloc_aligned(pool_, count, bytes, wanted.alignment),
                    true};
        }
        if (one_in(4)) {
            toft_pool_cache *cache = toft_pool_thread_cache(pool_);
            return {wanted.alignment == 0
                        ? toft_pool_cache_alloc(cache, wanted.size)
                        : toft_pool_cache_alloc_aligned(cache, wanted.size, wanted.alignment)};
        }
        return {wanted.alignment == 0
                    ? toft_pool_alloc(pool_, wanted.size)
                    : toft_pool_alloc_aligned(pool_, wanted.size, wanted.alignment)};
    }

    void allocate() {
        if (one_in(32)) return copy_string();
        object made;
        made.size = any_size();
        if (one_in(4)) made.alignment = any_alignment();
        const answer got = ask(made);
        if (got.memory == nullptr) return REQUIRE_TRUE(!must_be_there());
        made.memory = static_cast<unsigned char *>(got.memory);
        if (got.zeroed) verify(made, made.size); // its stamp is 0 yet
        add(made);
    }

    void copy_string() {
        const std::string text(below(one_in(8) ? 100000 : 100), 'x');
        char *copy = toft_pool_strdup(pool_, text.c_str());
        if (copy == nullptr) return REQUIRE_TRUE(!must_be_there());
        REQUIRE_TRUE(text == copy);
        object made;
        made.memory = reinterpret_cast<unsigned char *>(copy);
        made.size = text.size() + 1;
        add(made);
    }

    // --- frees ---

    void free_at(std::size_t index) {
        const object o = remove(index);
        if (o.sizeless || one_in(3)) return toft_pool_free_any(pool_, o.memory);
        toft_pool_cache *cache = one_in(4) ? toft_pool_thread_cache(pool_) : nullptr;
        if (o.alignment == 0)
            cache != nullptr ? toft_pool_cache_free(cache, o.memory, o.size)
                             : toft_pool_free(pool_, o.memory, o.size);
        else
            cache != nullptr ? toft_pool_cache_free_aligned(cache, o.memory, o.size, o.alignment)
                             : toft_pool_free_aligned(pool_, o.memory, o.size, o.alignment);
    }

    void free_all() {
        while (!live_.empty()) free_at(live_.size() - 1);
    }

    // --- resizing ---

    void *ask_resized(object &o, std::size_t size) {
        if (o.alignment != 0)
            return toft_pool_resize_aligned(pool_, o.memory, o.size, size, o.alignment);
        if (!o.sizeless && one_in(2)) return toft_pool_resize(pool_, o.memory, o.size, size);
        o.sizeless = true;
        return toft_pool_resize_any(pool_, o.memory, size);
    }

    void resize() {
        if (live_.empty()) return;
        const std::size_t index = below(live_.size());
        const std::size_t size =
            one_in(3) ? live_[index].size + below(live_[index].size / 2 + 32) : any_size();
        object resized = live_[index];
        void *memory = ask_resized(resized, size);
        if (memory == nullptr) {
            REQUIRE_TRUE(!must_be_there());
            return verify(live_[index], live_[index].size);
        }
        object old = live_[index];
        extents_.remove(old.memory);
        live_[index] = live_.back();
        live_.pop_back();
        resized.memory = static_cast<unsigned char *>(memory);
        verify(resized, std::min(old.size, size));
        resized.size = size;
        add(resized);
    }

    // --- questions ---

    void look() {
        int of_the_stack = 0;
        REQUIRE_TRUE(toft_pool_of(&of_the_stack) == nullptr);
        REQUIRE_TRUE(toft_pool_usable_bytes(&of_the_stack) == 0);
        if (live_.empty()) return;
        const object &o = live_[below(live_.size())];
        const std::size_t usable = toft_pool_usable_bytes(o.memory);
        REQUIRE_TRUE(usable >= o.size);
        // All of it is the object's: what is written there harms no other one.
        extents_.remove(o.memory);
        extents_.add(o.memory, usable);
        extents_.remove(o.memory);
        extents_.add(o.memory, o.size);
        if (usable <= 4096) std::memset(o.memory + o.size, 0xee, usable - o.size);
    }

    void ask_the_impossible() {
        const std::size_t before = toft_pool_get_stats(pool_).live_bytes;
        const std::size_t too_large = std::numeric_limits<std::size_t>::max() - below(1 << 20);
        REQUIRE_TRUE(toft_pool_alloc(pool_, too_large) == nullptr);
        REQUIRE_TRUE(toft_pool_alloc_aligned(pool_, too_large, any_alignment()) == nullptr);
        REQUIRE_TRUE(toft_pool_alloc_aligned(pool_, below(100), 3 + 4 * below(100)) == nullptr);
        REQUIRE_TRUE(toft_pool_calloc(pool_, too_large / 2, 3) == nullptr);
        if (!live_.empty()) {
            const object &o = live_[below(live_.size())];
            if (o.alignment == 0)
                REQUIRE_TRUE(toft_pool_resize_any(pool_, o.memory, too_large) == nullptr);
            verify(o, o.size);
        }
        REQUIRE_TRUE(toft_pool_get_stats(pool_).live_bytes == before);
    }

    void fail_for_a_while() {
        if (own_upstream_) failing_ = turn_failures(choice_, upstream_, failing_);
    }

    void check_stats() {
        const toft_pool_stats now = toft_pool_get_stats(pool_);
        std::size_t asked_for = 0;
        for (const object &o : live_) asked_for += o.size;
        REQUIRE_TRUE(now.live_bytes >= asked_for);
        REQUIRE_TRUE(now.live_bytes + now.cached_bytes <= now.reserved_bytes);
        REQUIRE_TRUE(now.high_water_bytes >= now.reserved_bytes);
        REQUIRE_TRUE(limit_bytes_ == 0 || now.high_water_bytes <= limit_bytes_);
        if (!own_upstream_) return;
        REQUIRE_TRUE(now.reserved_bytes == upstream_.live_bytes);
        REQUIRE_TRUE(keeps_all_ ||
                     now.upstream_allocations - now.upstream_frees == upstream_.live_blocks());
    }

    choices &choice_;
    counting_upstream upstream_;
    toft_pool *pool_;
    bool own_upstream_ = false;
    bool keeps_all_ = false; // the upstream takes nothing back
    bool failing_ = false;
    std::size_t limit_bytes_ = 0;
    std::size_t target_ = 0; // about how many objects live
    std::vector<object> live_;
    extents extents_;
    unsigned char stamp_ = 0;
};

} // namespace

std::size_t run_pool_sequence(choices &choice, std::size_t operations) {
    sequence run(choice);
    return run_steps(run, choice, operations);
}

} // namespace toft_test
