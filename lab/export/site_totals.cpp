// SPDX-License-Identifier: MIT
#include "site_totals.hpp"

namespace toft::lab {

void site_totals::keep_peak(std::size_t index) {
    if (kept_[index] == peaks_) return;
    totals_[index].at_peak = totals_[index].alive;
    kept_[index] = peaks_;
}

site_total &site_totals::touch(const heap_object &o) {
    std::uint32_t &index = index_.at(o.site);
    if (index == none) {
        index = static_cast<std::uint32_t>(totals_.size());
        totals_.emplace_back().site = o.site;
        totals_.back().first_ns = o.made_ns;
        kept_.push_back(peaks_);
    }
    keep_peak(index);
    return totals_[index];
}

void site_totals::made(const heap_object &o) {
    site_total &t = touch(o);
    const double bytes = static_cast<double>(o.bytes) * o.weight;
    t.made.objects += o.weight;
    t.made.bytes += bytes;
    t.alive.objects += o.weight;
    t.alive.bytes += bytes;
    t.smallest = std::min(t.smallest, o.bytes);
    t.largest = std::max(t.largest, o.bytes);
    t.last_ns = o.made_ns;
    bytes_ += bytes;
    if (bytes_ > peak_bytes_) peak_bytes_ = bytes_, ++peaks_;
}

void site_totals::resized(const heap_object &o, const heap_object &before) {
    site_total &t = touch(o);
    const double bytes = static_cast<double>(o.bytes) * o.weight;
    const double more = bytes - static_cast<double>(before.bytes) * before.weight;
    ++t.resizes;
    t.made.objects += o.weight - before.weight;
    t.alive.objects += o.weight - before.weight;
    t.made.bytes += bytes;
    t.alive.bytes += more;
    t.smallest = std::min(t.smallest, o.bytes);
    t.largest = std::max(t.largest, o.bytes);
    bytes_ += more;
    if (bytes_ > peak_bytes_) peak_bytes_ = bytes_, ++peaks_;
}

void site_totals::ended(const heap_object &o, const object_end &end) {
    site_total &t = touch(o);
    const double bytes = static_cast<double>(o.bytes) * o.weight;
    t.alive.objects -= o.weight;
    t.alive.bytes -= bytes;
    t.ended += o.weight;
    t.lifetime_ns += static_cast<double>(end.time_ns - std::min(end.time_ns, o.made_ns)) * o.weight;
    bytes_ -= bytes;
}

const std::vector<site_total> &site_totals::finish() {
    for (std::size_t i = 0; i != totals_.size(); ++i) keep_peak(i);
    return totals_;
}

} // namespace toft::lab
