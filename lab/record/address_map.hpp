// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

// A hash table from addresses, or other keys that aren't 0, to small values, for tens of millions
// of insertions and removals a second. A removal leaves no mark behind: what follows in the row
// moves up. So the table is as fast after a hundred million events as after one.
namespace toft::lab {

// The key of what belongs to one thread, by its number there: never 0.
constexpr std::uint64_t key_of_thread(std::uint32_t thread, std::uint32_t number) {
    return (std::uint64_t{thread} + 1) << 32 | number;
}

template <class Value>
class address_map {
  public:
    address_map() : slots_(smallest) {}

    std::size_t size() const { return size_; }

    // The key will be looked up soon: its place, which is in no cache, comes into one meanwhile.
    void expect(std::uint64_t key) const { __builtin_prefetch(&slots_[home(key)]); }

    // Null when the key isn't there. The pointer is good until the next insertion or removal.
    Value *find(std::uint64_t key) {
        for (std::size_t i = home(key);; i = next(i)) {
            if (slots_[i].key == key) return &slots_[i].value;
            if (slots_[i].key == 0) return nullptr;
        }
    }

    // The key must not be there.
    Value &insert(std::uint64_t key, Value value) {
        if ((size_ + 1) * 3 > slots_.size() * 2) grow();
        ++size_;
        return place(key, std::move(value));
    }

    // `value` must be what find() returned.
    void erase(Value *value) {
        const auto *slot = reinterpret_cast<const unsigned char *>(value) - offsetof(slot_t, value);
        auto hole =
            static_cast<std::size_t>(reinterpret_cast<const slot_t *>(slot) - slots_.data());
        --size_;
        for (std::size_t i = next(hole); slots_[i].key != 0; i = next(i)) {
            const std::size_t wanted = home(slots_[i].key);
            // It may fill the hole unless its home lies behind the hole, on the way to it.
            if (((i - wanted) & mask()) < ((i - hole) & mask())) continue;
            slots_[hole] = std::move(slots_[i]);
            hole = i;
        }
        slots_[hole] = {};
    }

    template <class Function>
    void for_each(Function function) {
        for (slot_t &s : slots_)
            if (s.key != 0) function(s.key, s.value);
    }

  private:
    static constexpr std::size_t smallest = 1024; // a power of two

    struct slot_t {
        std::uint64_t key = 0; // 0: free
        Value value{};
    };

    std::size_t mask() const { return slots_.size() - 1; }
    std::size_t next(std::size_t i) const { return (i + 1) & mask(); }
    std::size_t home(std::uint64_t key) const {
        const std::uint64_t mixed = (key ^ key >> 32) * 0x9e3779b97f4a7c15U;
        return static_cast<std::size_t>(mixed >> 20) & mask();
    }

    Value &place(std::uint64_t key, Value value) {
        std::size_t i = home(key);
        while (slots_[i].key != 0) i = next(i);
        slots_[i] = {key, std::move(value)};
        return slots_[i].value;
    }

    void grow() {
        std::vector<slot_t> old(slots_.size() * 2);
        old.swap(slots_);
        for (slot_t &s : old)
            if (s.key != 0) place(s.key, std::move(s.value));
    }

    std::vector<slot_t> slots_;
    std::size_t size_ = 0;
};

} // namespace toft::lab
