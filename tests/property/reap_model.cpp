// SPDX-License-Identifier: MIT
#include "property/reap_model.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include <toft/reap.h>

#include "property/extents.hpp"
#include "property/require.hpp"
#include "property/sequence.hpp"
#include "support/build.hpp"
#include "support/counting_upstream.hpp"

namespace toft_test {
namespace {

struct object {
    unsigned char *memory;
    std::size_t size;
    std::size_t alignment;
    unsigned char stamp;
    std::size_t birth; // counts allocations and savepoints
};

struct saved {
    toft_reap_savepoint *point;
    std::size_t birth;
};

class sequence {
  public:
    sequence(choices &choice, bool large) : choice_(choice), large_(large) {
        toft_reap_options options = {};
        own_upstream_ = one_in(2);
        if (own_upstream_) options.upstream = upstream_.c();
        keeps_all_ = own_upstream_ && one_in(3);
        if (keeps_all_) upstream_.take_nothing_back();
        if (one_in(2)) options.chunk_bytes = std::size_t(256) << below(10);
        if (one_in(4)) options.limit_bytes = 1 + below(std::size_t(1) << below(large_ ? 26 : 22));
        if (one_in(4)) options.keep_bytes = 1 + below(std::size_t(1) << below(22));
        limited_ = options.limit_bytes != 0;
        if (one_in(3) && !limited_) {
            buffer_.resize(1000 + below(std::size_t(1) << below(21)));
            options.first_buffer = buffer_.data();
            options.first_buffer_bytes = buffer_.size();
        }
        // Slots of multiples of 16 need no padding: then every byte can be accounted for. Large
        // objects in a first buffer, or in what an upstream didn't take back, have a note beside
        // them.
        exact_ = one_in(2) && !tracked() && buffer_.empty() && !keeps_all_;
        size_bits_ = 1 + below(12);
        reap_ = std::make_unique<toft_reap>();
        toft_reap_init(reap_.get(), &options);
    }
    ~sequence() {
        verify_all();
        toft_reap_release(reap_.get());
        REQUIRE_TRUE(keeps_all_ || upstream_.live_blocks() == 0);
    }

    void step() {
        std::size_t choice = below(100);
        if (choice < 50) {
            allocate();
        } else if (choice < 88) {
            free_any();
        } else if (choice < 91) {
            resize();
        } else if (choice < 94) {
            save();
        } else if (choice < 98) {
            rewind();
        } else if (choice == 98) {
            fail_for_a_while();
        } else if (one_in(8)) {
            start_again();
        } else if (one_in(4)) {
            move();
        }
        if (one_in(64)) check_stats();
    }

    // Thousands of objects at a time, so that their slots are reused in the order of memory.
    void step_of_many() {
        std::size_t choice = below(100);
        if (choice < 45) {
            for (std::size_t count = below(80000); count != 0; --count) allocate();
        } else if (choice < 80) {
            free_many(one_in(10) ? live_.size() : below(live_.size() + 1), below(3));
        } else {
            for (std::size_t count = below(500); count != 0; --count) step();
        }
        check_stats();
    }

    bool has_order() const { return reap_->order != nullptr; }

  private:
    std::size_t below(std::size_t bound) { return choice_.below(bound); }
    bool one_in(std::size_t n) { return below(n) == 0; }

    std::size_t any_size() {
        if (large_ && !one_in(50)) return exact_ ? 16 * (1 + below(6)) : below(100);
        std::size_t size = one_in(buffer_.empty() ? 300 : 30)
                               ? below(200000)
                               : below(std::size_t(1) << (1 + below(size_bits_)));
        return exact_ && size <= TOFT_REAP_SLOT_MAX ? (size + 15) / 16 * 16 + 16 * (size == 0)
                                                    : size;
    }
    std::size_t any_alignment() {
        if (exact_ || one_in(2)) return 8;
        return std::size_t(1) << below(one_in(100) ? 18 : 7);
    }

    static void verify(const object &o) {
        if (o.size == 0) return;
        REQUIRE_TRUE(o.memory[0] == o.stamp);
        REQUIRE_TRUE(o.size == 1 || std::memcmp(o.memory, o.memory + 1, o.size - 1) == 0);
    }
    void verify_all() {
        for (const object &o : live_) verify(o);
    }

    void add(void *memory, std::size_t size, std::size_t alignment) {
        object o = {static_cast<unsigned char *>(memory), size, alignment, ++stamp_, ++births_};
        REQUIRE_TRUE(reinterpret_cast<std::uintptr_t>(memory) % alignment == 0);
        extents_.add(memory, size);
        std::memset(memory, o.stamp, size);
        live_.push_back(o);
        live_bytes_ += slot_bytes(size, alignment);
    }

    static std::size_t slot_bytes(std::size_t size, std::size_t alignment) {
        return toft_reap_fits_slot(size, alignment)
                   ? toft_reap_slot_bytes(toft_reap_class(size, alignment))
                   : size;
    }

    void forget(std::size_t index) {
        extents_.remove(live_[index].memory);
        live_bytes_ -= slot_bytes(live_[index].size, live_[index].alignment);
        live_[index] = live_.back();
        live_.pop_back();
    }

    void allocate() {
        std::size_t size = any_size(), alignment = any_alignment();
        void *memory = toft_reap_alloc(reap_.get(), size, alignment);
        if (memory == nullptr)
            REQUIRE_TRUE(limited_ || failing_);
        else
            add(memory, size, alignment);
    }

    void free_any() {
        if (!live_.empty()) free_at(below(live_.size()));
    }

    void free_at(std::size_t index) {
        object o = live_[index];
        verify(o);
        forget(index);
        toft_reap_free(reap_.get(), o.memory, o.size, o.alignment);
    }

    // In the order of allocation, backwards, or in a random order, as nearly as the model knows.
    void free_many(std::size_t count, std::size_t order) {
        for (; count != 0 && !live_.empty(); --count)
            free_at(order == 0   ? count % live_.size()
                    : order == 1 ? live_.size() - 1
                                 : below(live_.size()));
    }

    void resize() {
        if (live_.empty()) return;
        std::size_t index = below(live_.size());
        object old = live_[index];
        std::size_t size = any_size();
        void *memory = toft_reap_resize(reap_.get(), old.memory, old.size, size, old.alignment);
        if (memory == nullptr) {
            REQUIRE_TRUE(limited_ || failing_);
            verify(old);
            return;
        }
        object resized = old;
        resized.memory = static_cast<unsigned char *>(memory);
        resized.size = std::min(old.size, size);
        verify(resized);
        forget(index);
        add(memory, size, old.alignment);
        // In place it is as old as it was: a rewind leaves it, with what it has by then.
        if (memory == old.memory) live_.back().birth = old.birth;
    }

    void save() {
        if (saved_.size() == 6) return;
        toft_reap_savepoint *point = toft_reap_save(reap_.get());
        if (point == nullptr)
            REQUIRE_TRUE(limited_ || failing_);
        else
            saved_.push_back({point, ++births_});
    }

    void rewind() {
        if (saved_.empty()) return;
        std::size_t index = one_in(3) ? below(saved_.size()) : saved_.size() - 1;
        saved ended = saved_[index];
        saved_.resize(index);
        for (std::size_t i = live_.size(); i-- != 0;) {
            if (live_[i].birth < ended.birth) continue;
            verify(live_[i]);
            forget(i);
        }
        toft_reap_rewind(reap_.get(), ended.point);
        verify_all();
    }

    void start_again() {
        verify_all();
        live_.clear();
        extents_.clear();
        saved_.clear();
        live_bytes_ = 0;
        if (one_in(3))
            toft_reap_release(reap_.get());
        else
            toft_reap_reset(reap_.get());
    }

    void move() {
        auto moved = std::make_unique<toft_reap>();
        toft_reap_move(moved.get(), reap_.get());
        toft_reap_release(reap_.get());
        reap_ = std::move(moved);
    }

    void fail_for_a_while() {
        if (own_upstream_) failing_ = turn_failures(choice_, upstream_, failing_);
    }

    void check_stats() {
        toft_reap_stats now = toft_reap_get_stats(reap_.get());
        std::size_t savepoints_bytes =
            saved_.size() * toft_reap_slot_bytes(toft_reap_class(600, 8));
        if (exact_)
            REQUIRE_TRUE(now.used_bytes == live_bytes_ + savepoints_bytes);
        else
            REQUIRE_TRUE(now.used_bytes >= live_bytes_);
        REQUIRE_TRUE(now.used_bytes + now.free_bytes <= now.reserved_bytes);
        REQUIRE_TRUE(now.high_water_bytes >= now.used_bytes + now.free_bytes);
        if (!own_upstream_) return;
        std::size_t unaligned_bytes = -reinterpret_cast<std::uintptr_t>(buffer_.data()) % 16;
        std::size_t buffer_bytes = buffer_.empty() ? 0 : (buffer_.size() - unaligned_bytes) & ~7U;
        REQUIRE_TRUE(now.reserved_bytes == upstream_.live_bytes + buffer_bytes);
        if (keeps_all_) return;
        REQUIRE_TRUE(now.chunks == upstream_.live_blocks() + (buffer_.empty() ? 0 : 1));
    }

    choices &choice_;
    bool large_;
    counting_upstream upstream_;
    std::vector<unsigned char> buffer_; // the first, if it isn't empty
    std::unique_ptr<toft_reap> reap_;   // on the heap, so that a move is one to another address
    bool own_upstream_, limited_, exact_;
    bool keeps_all_; // the upstream takes nothing back
    bool failing_ = false;
    std::size_t size_bits_;
    std::vector<object> live_;
    std::size_t live_bytes_ = 0;
    extents extents_;
    std::vector<saved> saved_;
    unsigned char stamp_ = 0;
    std::size_t births_ = 0;
};

} // namespace

std::size_t run_reap_sequence(choices &choice, std::size_t operations) {
    sequence run(choice, false);
    return run_steps(run, choice, operations);
}

bool run_large_reap_sequence(choices &choice, std::size_t steps) {
    sequence run(choice, true);
    bool ordered = false;
    for (; steps != 0; steps--) {
        run.step_of_many();
        ordered = ordered || run.has_order();
    }
    return ordered;
}

} // namespace toft_test
