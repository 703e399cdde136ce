// SPDX-License-Identifier: MIT
// A free list without locks: for each multiple of 8 bytes up to 512, all threads share one Treiber
// stack with tagged pointers (tagged_stack.hpp). A lock is taken only to grow; larger sizes come
// from the heap.
#include "doors.hpp"
#include "programs.hpp"
#include "tagged_stack.hpp"

#include <array>
#include <memory>
#include <mutex>
#include <new>
#include <sys/mman.h>

namespace toft::lab {
namespace {

struct hardware {
    template <class T>
    struct cell {
        std::atomic<T> value;
        cell(T initial = 0) : value(initial) {}
        T load(std::memory_order order) const { return value.load(order); }
        void store(T stored, std::memory_order order) { value.store(stored, order); }
        bool compare_exchange(T &expected, T desired, std::memory_order success,
                              std::memory_order failure) {
            return value.compare_exchange_weak(expected, desired, success, failure);
        }
    };
};

// Slots of one size, in one range of addresses that is large enough for all that the suite keeps
// alive. A slot's index counts units of 8 bytes.
class slot_list {
    using link = hardware::cell<std::uint32_t>;
    static constexpr std::size_t unit_bytes = 8;
    static constexpr std::size_t range_bytes = std::size_t{1} << 30;
    static constexpr std::size_t slots_at_once = 1024;

    char *at(std::uint32_t index) { return range_ + index * unit_bytes; }
    std::uint32_t index_of(void *slot) const {
        return static_cast<std::uint32_t>(
            static_cast<std::size_t>(static_cast<char *>(slot) - range_) / unit_bytes);
    }
    auto links() {
        return [this](std::uint32_t index) -> link & {
            return *std::launder(reinterpret_cast<link *>(at(index)));
        };
    }

  public:
    void *allocate(std::size_t slot_bytes) {
        const std::uint32_t index = free_.pop(links());
        return index != 0 ? at(index) : grow(slot_bytes);
    }
    void free(void *slot) { free_.push(index_of(slot), links()); }

  private:
    [[gnu::noinline]] void *grow(std::size_t slot_bytes) {
        const std::lock_guard lock(growing_);
        if (const std::uint32_t index = free_.pop(links()); index != 0) return at(index);
        if (range_ == nullptr) {
            void *range = mmap(nullptr, range_bytes, PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (range == MAP_FAILED) throw std::bad_alloc();
            range_ = static_cast<char *>(range);
            used_bytes_ = unit_bytes; // index 0 means none
        }
        if (used_bytes_ + slots_at_once * slot_bytes > range_bytes) throw std::bad_alloc();
        const std::size_t first = used_bytes_;
        used_bytes_ += slots_at_once * slot_bytes;
        for (std::size_t i = slots_at_once; --i != 0;) {
            char *slot = range_ + first + i * slot_bytes;
            std::construct_at(reinterpret_cast<link *>(slot));
            free(slot);
        }
        return range_ + first;
    }

    alignas(64) tagged_stack<hardware> free_;
    char *range_ = nullptr;
    std::size_t used_bytes_ = 0;
    std::mutex growing_;
};

constexpr std::size_t largest_bytes = 512;
std::array<slot_list, largest_bytes / 8> lists;

struct tagged_door {
    static constexpr bool on_malloc = false;
    [[gnu::always_inline]] void *allocate(std::size_t size) {
        if (size > largest_bytes) return ::operator new(size);
        return lists[(size - 1) / 8].allocate((size + 7) & ~std::size_t{7});
    }
    [[gnu::always_inline]] void free(void *object, std::size_t size) {
        if (size > largest_bytes)
            ::operator delete(object);
        else
            lists[(size - 1) / 8].free(object);
    }
    template <class T>
    auto allocator() {
        return door_allocator<T, tagged_door>();
    }
};

} // namespace

void run_on_tagged_stack(session &run) { measure_pool<tagged_door>(run); }

} // namespace toft::lab
