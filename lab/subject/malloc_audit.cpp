// SPDX-License-Identifier: MIT
#include "malloc_audit.hpp"

#include "resident_memory.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

namespace toft::lab {
namespace {

class stamped_object {
  public:
    stamped_object(std::size_t size, unsigned stamp) { take(size, stamp); }
    stamped_object(stamped_object &&other) noexcept
        : memory_(other.memory_),
          size_(other.size_),
          stamp_(other.stamp_) {
        other.memory_ = nullptr;
    }
    stamped_object &operator=(stamped_object &&) = delete;
    ~stamped_object() { std::free(memory_); }

    std::size_t size() const { return size_; }

    void take(std::size_t size, unsigned stamp) {
        size_ = size;
        stamp_ = static_cast<unsigned char>(1 + stamp % 251);
        memory_ = static_cast<unsigned char *>(std::malloc(size));
        if (memory_) std::memset(memory_, stamp_, size_);
    }
    void drop() {
        std::free(memory_);
        memory_ = nullptr;
    }
    void resize(std::size_t size) {
        auto *moved = static_cast<unsigned char *>(std::realloc(memory_, size));
        if (!moved) return;
        memory_ = moved;
        size_ = std::min(size_, size); // the rest has no stamp yet
    }

    bool is_whole() const {
        return memory_ && std::all_of(memory_, memory_ + size_,
                                      [this](unsigned char byte) { return byte == stamp_; });
    }
    // Every malloc aligns to what the size can need, up to 16 bytes; 8 is the least on 64 bits.
    bool is_aligned() const { return reinterpret_cast<std::uintptr_t>(memory_) % 8 == 0; }

  private:
    unsigned char *memory_ = nullptr;
    std::size_t size_ = 0;
    unsigned char stamp_ = 0;
};

std::string find_fault(const std::vector<stamped_object> &all, const char *when) {
    for (const stamped_object &o : all) {
        if (!o.is_aligned()) return "its malloc hands out memory that isn't aligned to 8 bytes";
        if (!o.is_whole())
            return std::string("its malloc handed out the same memory twice, or none: an object "
                               "lost its bytes ") +
                   when;
    }
    return {};
}

} // namespace

std::string audit_malloc() {
    constexpr unsigned objects = 4000;
    std::minstd_rand random(1);
    const auto some_size = [&] { return std::size_t{1} + random() % (random() % 8 ? 256 : 8192); };
    std::vector<stamped_object> all;
    all.reserve(objects);
    for (unsigned i = 0; i != objects; ++i) all.emplace_back(some_size(), i);
    std::string fault = find_fault(all, "while others were taken");
    std::uint64_t live_bytes = 0;
    for (const stamped_object &o : all) live_bytes += o.size();
    if (fault.empty() && resident_bytes() < live_bytes)
        fault = "its malloc's objects have more bytes than the process has memory";
    for (unsigned i = 0; i < objects; i += 2) all[i].drop();
    for (unsigned i = 0; i < objects; i += 2) all[i].take(some_size(), i + 7);
    if (fault.empty()) fault = find_fault(all, "when freed memory was taken again");
    for (unsigned i = 0; i < objects; i += 3) all[i].resize(some_size());
    if (fault.empty()) fault = find_fault(all, "when objects were resized");
    return fault;
}

} // namespace toft::lab
