// SPDX-License-Identifier: MIT
#include "estimates.hpp"

#include "record/address_map.hpp"
#include "run/interrupt.hpp"

#include <algorithm>
#include <cmath>

namespace toft::lab {
namespace {

struct weighed_object {
    double weight = 1;
    double bytes = 0;
};

class weighed_heap {
  public:
    explicit weighed_heap(const recording &of) : of_(of) {}

    void take(const heap_event &e) {
        if (e.call == heap_call::free) {
            remove(e.address);
            return;
        }
        weighed_object made{of_.weight_of(e.bytes), static_cast<double>(e.bytes)};
        const weighed_object *moved =
            e.call == heap_call::resize ? live_.find(e.old_address) : nullptr;
        if (moved) made.weight = std::min(made.weight, moved->weight);
        objects_ += made.weight - (moved ? moved->weight : 0);
        if (moved) remove(e.old_address);
        remove(e.address);
        live_.insert(e.address, made);
        live_bytes_ += made.weight * made.bytes;
        peak_bytes_ = std::max(peak_bytes_, live_bytes_);
    }

    double objects() const { return objects_; }
    double peak_bytes() const { return peak_bytes_; }

  private:
    void remove(std::uint64_t address) {
        weighed_object *found = live_.find(address);
        if (!found) return;
        live_bytes_ -= found->weight * found->bytes;
        live_.erase(found);
    }

    const recording &of_;
    address_map<weighed_object> live_;
    double objects_ = 0, live_bytes_ = 0, peak_bytes_ = 0;
};

// More digits would say more than a sample knows.
std::uint64_t to_two_digits(double n) {
    if (n < 100) return static_cast<std::uint64_t>(std::llround(n));
    const double unit = std::pow(10, std::floor(std::log10(n)) - 1);
    constexpr double most = 1e18; // of a file that is broken
    return static_cast<std::uint64_t>(std::min(std::round(n / unit) * unit, most));
}

} // namespace

estimate estimate_of(const std::vector<recording> &recordings) {
    double objects = 0, peak_bytes = 0;
    for (const recording &r : recordings) {
        stop_if_interrupted();
        weighed_heap heap(r);
        r.for_each([&](std::span<const heap_event> events) {
            for (const heap_event &e : events) heap.take(e);
        });
        objects += heap.objects();
        peak_bytes = std::max(peak_bytes, heap.peak_bytes());
    }
    // Two digits in the unit in which it is told.
    constexpr double kibi = 1 << 10, mebi = 1 << 20;
    const double unit = peak_bytes < 1e4 ? 1 : peak_bytes < 1e7 ? kibi : mebi;
    const double in_units = static_cast<double>(to_two_digits(peak_bytes / unit));
    return {to_two_digits(objects), static_cast<std::uint64_t>(in_units * unit)};
}

} // namespace toft::lab
