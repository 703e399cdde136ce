// SPDX-License-Identifier: MIT
#include "property/arena_model.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <toft/arena.h>

#include "property/live_objects.hpp"
#include "property/sequence.hpp"
#include "support/counting_upstream.hpp"

namespace toft_test {
namespace {

// The functions deferred and not yet run, by number: each run must be that of the last.
std::vector<std::size_t> deferred;
void run_deferred(void *number) {
    REQUIRE_TRUE(!deferred.empty());
    REQUIRE_TRUE(deferred.back() == reinterpret_cast<std::uintptr_t>(number));
    deferred.pop_back();
}

struct saved {
    toft_savepoint point;
    std::size_t objects;
    std::size_t deferred;
    std::size_t used_bytes;
};

class sequence {
  public:
    explicit sequence(choices &choice) : choice_(choice) {
        toft_arena_options options = {};
        own_upstream_ = choice_.one_in(2);
        if (own_upstream_) options.upstream = upstream_.c();
        keeps_all_ = own_upstream_ && choice_.one_in(4);
        if (keeps_all_) upstream_.take_nothing_back();
        if (choice_.one_in(3)) {
            options.first_buffer = buffer_.data() + choice_.below(32);
            options.first_buffer_bytes = choice_.below(buffer_.size() - 32);
        }
        if (choice_.one_in(2)) options.chunk_bytes = std::size_t(1) << choice_.below(18);
        if (choice_.one_in(4)) options.limit_bytes = 1 + choice_.below(1 << choice_.below(22));
        if (choice_.one_in(4)) options.keep_bytes = 1 + choice_.below(1 << choice_.below(24));
        limit_bytes_ = options.limit_bytes;
        keep_bytes_ = options.keep_bytes;
        size_bits_ = 1 + choice_.below(12);
        arena_ = std::make_unique<toft_arena>();
        toft_arena_init(arena_.get(), &options);
        buffer_bytes_ = stats().reserved_bytes;
        deferred.clear();
    }

    ~sequence() {
        live_.verify(0);
        toft_arena_release(arena_.get());
        REQUIRE_TRUE(deferred.empty());
        REQUIRE_TRUE(keeps_all_ || upstream_.live_blocks() == 0);
    }

    void step() {
        switch (choice_.below(64)) {
        default:
            allocate();
            break;
        case 40:
        case 41:
        case 42:
        case 43:
        case 44:
        case 45:
        case 46:
            resize();
            break;
        case 47:
        case 48:
        case 49:
        case 50:
        case 51:
            free_last();
            break;
        case 52:
        case 53:
            save();
            break;
        case 54:
        case 55:
            rewind();
            break;
        case 56:
        case 57:
            defer();
            break;
        case 58:
            ask_for_the_impossible();
            break;
        case 59:
            fail_for_a_while();
            break;
        case 60:
            copy_text();
            break;
        case 61:
            if (choice_.one_in(8)) reset();
            break;
        case 62:
            if (choice_.one_in(16)) release();
            break;
        case 63:
            if (choice_.one_in(8)) move();
            break;
        }
        check_stats();
    }

  private:
    toft_arena_stats stats() const { return toft_arena_get_stats(arena_.get()); }

    std::size_t any_size() {
        if (choice_.one_in(200)) return choice_.below(300000);
        return choice_.below(std::size_t(1) << (1 + choice_.below(size_bits_)));
    }

    std::size_t any_alignment() {
        if (choice_.one_in(500)) return std::size_t(1) << choice_.below(20);
        return std::size_t(1) << choice_.below(choice_.one_in(8) ? 9 : 4);
    }

    // Where neither the limit nor a failing upstream may be to blame, there must be memory.
    void expect_memory(const void *memory) {
        REQUIRE_TRUE(memory != nullptr || limit_bytes_ != 0 || failing_);
    }

    void allocate() {
        std::size_t size = any_size(), alignment = any_alignment();
        std::size_t used_bytes = stats().used_bytes;
        void *memory;
        if (choice_.one_in(8)) {
            std::size_t count = choice_.below(5);
            memory = toft_arena_calloc(arena_.get(), count, size, alignment);
            size *= count;
            if (memory != nullptr && size != 0) {
                auto *bytes = static_cast<unsigned char *>(memory);
                REQUIRE_TRUE(bytes[0] == 0);
                REQUIRE_TRUE(std::memcmp(bytes, bytes + 1, size - 1) == 0);
            }
        } else {
            memory = toft_arena_alloc(arena_.get(), size, alignment);
        }
        expect_memory(memory);
        if (memory == nullptr) {
            REQUIRE_TRUE(stats().used_bytes == used_bytes);
            return;
        }
        std::size_t taken_bytes = stats().used_bytes - used_bytes;
        REQUIRE_TRUE(taken_bytes >= size);
        REQUIRE_TRUE(taken_bytes <= std::max<std::size_t>(size, 1) + 8 + alignment + 16);
        live_.add(memory, size, alignment);
    }

    // Objects before the last savepoint are left alone: they'd outlive the rewind or not, as they
    // happen to lie.
    std::size_t first_free_to_change() const { return saved_.empty() ? 0 : saved_.back().objects; }

    std::optional<std::size_t> any_object() {
        std::size_t first = first_free_to_change();
        if (first == live_.size()) return std::nullopt;
        if (choice_.one_in(2)) return live_.size() - 1;
        return first + choice_.below(live_.size() - first);
    }

    void resize() {
        std::optional<std::size_t> index = any_object();
        if (!index) return;
        object old = live_[*index];
        std::size_t size = any_size();
        std::size_t alignment = std::size_t(1) << choice_.below(6);
        void *memory = toft_arena_resize(arena_.get(), old.memory, old.size, size, alignment);
        if (memory == nullptr) {
            expect_memory(nullptr);
            verify(old, old.size);
            return;
        }
        object resized = {static_cast<unsigned char *>(memory), size, old.stamp};
        verify(resized, std::min(old.size, size));
        live_.remove(*index);
        live_.add(memory, size, alignment);
    }

    void free_last() {
        std::optional<std::size_t> index = any_object();
        if (!index) return;
        object freed = live_[*index];
        verify(freed, freed.size);
        std::size_t used_bytes = stats().used_bytes;
        if (toft_arena_free_last(arena_.get(), freed.memory, freed.size)) {
            REQUIRE_TRUE(stats().used_bytes < used_bytes);
            // Nothing that lives lies behind it in its chunk.
            std::uintptr_t next = live_.begin_behind(freed);
            REQUIRE_TRUE(next < reinterpret_cast<std::uintptr_t>(arena_->cur) ||
                         next >= reinterpret_cast<std::uintptr_t>(arena_->high));
            live_.remove(*index);
        }
    }

    void save() {
        if (saved_.size() > 20) return;
        saved_.push_back(
            {toft_arena_save(arena_.get()), live_.size(), deferred.size(), stats().used_bytes});
    }

    void rewind() {
        if (saved_.empty()) return;
        std::size_t index = choice_.below(saved_.size());
        saved to = saved_[index];
        live_.drop_behind(to.objects);
        toft_arena_rewind(arena_.get(), to.point);
        REQUIRE_TRUE(deferred.size() == to.deferred);
        REQUIRE_TRUE(stats().used_bytes <= to.used_bytes);
        saved_.resize(index + (choice_.one_in(2) ? 1 : 0)); // it may be used again
    }

    void defer() {
        std::size_t number = ++deferred_so_far_;
        deferred.push_back(number);
        if (!toft_arena_defer(arena_.get(), run_deferred, reinterpret_cast<void *>(number))) {
            expect_memory(nullptr);
            deferred.pop_back();
        }
    }

    void ask_for_the_impossible() {
        static constexpr std::array sizes = {SIZE_MAX, SIZE_MAX - 7, SIZE_MAX / 2 + 1,
                                             SIZE_MAX / 8 + 1};
        volatile std::size_t size = sizes[choice_.below(sizes.size())] - choice_.below(2);
        volatile std::size_t uneven = 3 + 2 * choice_.below(1000), none = 0;
        std::size_t reserved_bytes = stats().reserved_bytes;
        if (size > SIZE_MAX / 8) REQUIRE_TRUE(toft_arena_alloc(arena_.get(), size, 8) == nullptr);
        REQUIRE_TRUE(toft_arena_calloc(arena_.get(), size, 16, 8) == nullptr);
        if ((uneven & (uneven - 1)) != 0)
            REQUIRE_TRUE(toft_arena_alloc(arena_.get(), 8, uneven) == nullptr);
        REQUIRE_TRUE(toft_arena_alloc(arena_.get(), 8, none) == nullptr);
        REQUIRE_TRUE(stats().reserved_bytes == reserved_bytes);
    }

    void fail_for_a_while() {
        if (own_upstream_) failing_ = turn_failures(choice_, upstream_, failing_);
    }

    void copy_text() {
        static constexpr char text[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
        std::size_t length = choice_.below(sizeof text + 5);
        char *copy = toft_arena_strndup(arena_.get(), text, length);
        expect_memory(copy);
        if (copy == nullptr) return;
        length = std::min(length, sizeof text - 1);
        REQUIRE_TRUE(std::memcmp(copy, text, length) == 0 && copy[length] == '\0');
        live_.add(copy, length + 1, 1);
    }

    void reset() {
        live_.drop_behind(0);
        saved_.clear();
        toft_arena_reset(arena_.get());
        REQUIRE_TRUE(deferred.empty());
        toft_arena_stats now = stats();
        REQUIRE_TRUE(now.used_bytes == 0);
        if (keep_bytes_ != 0 && !keeps_all_)
            REQUIRE_TRUE(now.reserved_bytes <= std::max(keep_bytes_, buffer_bytes_));
        if (now.high_water_bytes == 0) begin_counting(); // it was a release
    }

    void release() {
        live_.drop_behind(0);
        saved_.clear();
        toft_arena_release(arena_.get());
        REQUIRE_TRUE(deferred.empty());
        REQUIRE_TRUE(stats().reserved_bytes ==
                     buffer_bytes_ + (keeps_all_ ? upstream_.live_bytes : 0));
        REQUIRE_TRUE(keeps_all_ || upstream_.live_blocks() == 0);
        begin_counting();
    }

    void begin_counting() {
        high_water_bytes_ = 0;
        allocations_before_ = upstream_.allocations;
        frees_before_ = upstream_.frees;
    }

    void move() {
        auto moved = std::make_unique<toft_arena>();
        toft_arena_move(moved.get(), arena_.get());
        toft_arena_release(arena_.get());
        arena_ = std::move(moved);
        saved_.clear();
    }

    void check_stats() {
        toft_arena_stats now = stats();
        high_water_bytes_ = std::max(high_water_bytes_, now.used_bytes);
        if (now.high_water_bytes < high_water_bytes_ && now.used_bytes == 0 && keep_bytes_ != 0)
            begin_counting(); // a rewind to the very start gave even the first chunk back
        REQUIRE_TRUE(now.high_water_bytes == high_water_bytes_);
        REQUIRE_TRUE(now.used_bytes <= now.reserved_bytes);
        REQUIRE_TRUE(limit_bytes_ == 0 || now.reserved_bytes <= limit_bytes_);
        if (!own_upstream_) return;
        REQUIRE_TRUE(now.reserved_bytes == buffer_bytes_ + upstream_.live_bytes);
        if (keeps_all_) return;
        REQUIRE_TRUE(now.chunks == upstream_.live_blocks() + (buffer_bytes_ != 0));
        REQUIRE_TRUE(now.upstream_allocations - now.upstream_frees == upstream_.live_blocks());
        if (now.chunks == 0) return;
        REQUIRE_TRUE(now.upstream_allocations == upstream_.allocations - allocations_before_);
        REQUIRE_TRUE(now.upstream_frees == upstream_.frees - frees_before_);
    }

    choices &choice_;
    counting_upstream upstream_;
    alignas(16) std::array<unsigned char, 4096> buffer_;
    std::unique_ptr<toft_arena> arena_; // on the heap, so that a move is one to another address
    bool own_upstream_ = false;
    bool keeps_all_ = false; // the upstream takes nothing back
    bool failing_ = false;
    std::size_t limit_bytes_ = 0;
    std::size_t keep_bytes_ = 0;
    std::size_t buffer_bytes_ = 0;
    std::size_t size_bits_ = 0;
    live_objects live_;
    std::vector<saved> saved_;
    std::size_t deferred_so_far_ = 0;
    std::size_t high_water_bytes_ = 0;
    std::size_t allocations_before_ = 0;
    std::size_t frees_before_ = 0;
};

} // namespace

std::size_t run_arena_sequence(choices &choice, std::size_t operations) {
    sequence run(choice);
    return run_steps(run, choice, operations);
}

} // namespace toft_test
