// SPDX-License-Identifier: MIT
#pragma once

#include "cases.hpp"
#include "footprint.hpp"
#include "random.hpp"
#include "workloads/pool/objects.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <vector>

// `phase-change` and `kinds`: each round fills as much memory as the others, but with objects of
// another size. In a random order 90 % of them are freed; the rest lives until the next round has
// filled its own.
namespace toft::lab {

using phase_sizes = std::array<std::uint32_t, aged_rounds>;
inline constexpr phase_sizes small_sizes = {64, 256, 96, 512, 32, 1024, 128, 48};

// A malloc has other ways for large objects than for small ones, and keeps what is freed of each.
inline constexpr phase_sizes sizes_of_all_kinds = {64,     200'000, 1000, 3'000'000,
                                                   40'000, 24,      300,  8'000'000};

template <class Door, const phase_sizes &Sizes>
class phases {
  public:
    explicit phases(std::uint64_t usual_kibibytes) : bytes_(usual_kibibytes * 1024) {
        const std::size_t most = bytes_ / *std::min_element(Sizes.begin(), Sizes.end());
        objects_.resize(most);
        order_.resize(most);
        kept_.resize(most / kept_share + 1);
    }

    std::uint64_t objects(unsigned round) const {
        return std::max<std::uint64_t>(1, bytes_ / size_in(round));
    }

    void round(unsigned round, footprint &memory) {
        const std::size_t size = size_in(round), count = objects(round);
        fill(size, count);
        memory.note_peak();
        free_kept();
        std::iota(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(count), 0U);
        std::shuffle(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(count), random_);
        const std::size_t keep = round == aged_rounds ? 0 : count / kept_share;
        for (std::size_t i = 0; i != keep; ++i) kept_[i] = {objects_[order_[i]], order_[i]};
        for (std::size_t i = keep; i != count; ++i)
            free_object(objects_[order_[i]], order_[i], size);
        kept_count_ = keep;
        kept_size_ = size;
    }

    bool agrees() const { return agrees_; }

  private:
    static constexpr std::size_t kept_share = 10;

    struct survivor {
        void *object;
        std::uint32_t stamped;
    };

    static std::size_t size_in(unsigned round) { return Sizes[round - 1]; }

    [[gnu::noinline]] void fill(std::size_t size, std::size_t count) {
        for (std::size_t i = 0; i != count; ++i) {
            objects_[i] = door_.allocate(size);
            std::memset(objects_[i], 0, size);
            stamp(objects_[i], static_cast<std::uint32_t>(i));
        }
    }
    [[gnu::noinline]] void free_object(void *object, std::uint32_t stamped, std::size_t size) {
        agrees_ &= has_stamp(object, stamped);
        door_.free(object, size);
    }
    void free_kept() {
        for (std::size_t i = 0; i != kept_count_; ++i)
            free_object(kept_[i].object, kept_[i].stamped, kept_size_);
    }

    Door door_;
    std::uint64_t bytes_;
    xorshift random_{2};
    std::vector<void *> objects_;
    std::vector<std::uint32_t> order_;
    std::vector<survivor> kept_;
    std::size_t kept_count_ = 0, kept_size_ = 0;
    bool agrees_ = true;
};

} // namespace toft::lab
