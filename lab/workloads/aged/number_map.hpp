// SPDX-License-Identifier: MIT
#pragma once

#include "cases.hpp"
#include "footprint.hpp"
#include "workloads/pool/doors.hpp"

#include <functional>
#include <map>
#include <utility>

// `aged-map`: a std::map is filled with keys in no order, every other element is erased, as many
// new ones come, and it is read twice and cleared. Its nodes are freed in the order of their keys.
namespace toft::lab {

template <class Door>
class number_map {
  public:
    explicit number_map(std::uint64_t usual_elements) : usual_elements_(usual_elements) {}

    std::uint64_t objects(unsigned round) const { return elements(round) + elements(round) / 2; }

    void round(unsigned round, footprint &memory) {
        using entry = std::pair<const std::uint32_t, std::uint64_t>;
        std::map<std::uint32_t, std::uint64_t, std::less<>, door_allocator<entry, Door>> numbers;
        std::uint32_t next = 0;
        written_ = read_ = 0;
        const auto add = [&](std::uint64_t count) {
            for (std::uint64_t i = 0; i != count; ++i, ++next) {
                numbers.emplace(scattered(next), next);
                written_ += next;
            }
        };
        add(elements(round));
        const std::uint64_t erased = elements(round) / 2;
        auto at = numbers.begin();
        for (std::uint64_t i = 0; i != erased; ++i) {
            written_ -= at->second;
            at = std::next(numbers.erase(at));
        }
        add(erased);
        memory.note_peak();
        for (unsigned i = 0; i != readings; ++i)
            for (const entry &e : numbers) read_ += e.second;
    }

    bool agrees() const { return read_ == readings * written_; }

  private:
    static constexpr unsigned readings = 2;

    std::uint64_t elements(unsigned round) const {
        return share_of(usual_elements_, round_percents[round - 1]);
    }

    // Different numbers give different keys: each step can be undone.
    static std::uint32_t scattered(std::uint32_t n) {
        n = (n ^ n >> 16) * 0x7FEB352DU;
        n = (n ^ n >> 15) * 0x846CA68BU;
        return n ^ n >> 16;
    }

    std::uint64_t usual_elements_;
    std::uint64_t written_ = 0, read_ = 0;
};

} // namespace toft::lab
