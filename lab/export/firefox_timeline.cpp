// SPDX-License-Identifier: MIT
#include "firefox_timeline.hpp"

#include <algorithm>
#include <tuple>

namespace toft::lab {

void firefox_timeline::make_room_for(std::uint64_t time_ns) {
    while (time_ns / width_ns_ >= intervals) {
        width_ns_ *= 2;
        std::unordered_map<std::uint64_t, double> wider;
        for (const auto &[key, bytes] : bytes_) {
            const std::uint64_t ended = key & 0xffff;
            wider[key_of(key >> 32, (key >> 16 & 0xffff) / 2,
                         ended == stays ? stays : ended / 2)] += bytes;
        }
        bytes_ = std::move(wider);
    }
}

void firefox_timeline::add(const heap_object &o, std::uint64_t end_ns, bool is_alive) {
    make_room_for(std::max(end_ns, o.made_ns));
    const std::uint64_t ended = is_alive ? stays : std::max(end_ns, o.made_ns) / width_ns_;
    bytes_[key_of(o.site, o.made_ns / width_ns_, ended)] += static_cast<double>(o.bytes) * o.weight;
}

std::vector<firefox_timeline::change> firefox_timeline::changes() const {
    // Sorted, so that the same recording gives the same file.
    std::vector<std::pair<std::uint64_t, double>> groups(bytes_.begin(), bytes_.end());
    std::sort(groups.begin(), groups.end());
    std::vector<change> found;
    for (std::size_t i = 0; i != groups.size(); ++i) {
        const auto &[key, bytes] = groups[i];
        const auto site = static_cast<std::uint32_t>(key >> 32);
        const std::uint64_t ended = key & 0xffff;
        found.push_back({key >> 16 & 0xffff, true, site, i, bytes});
        if (ended != stays) found.push_back({ended + 1, false, site, i, bytes});
    }
    std::sort(found.begin(), found.end(), [](const change &a, const change &b) {
        return std::tie(a.interval, a.comes, a.group) < std::tie(b.interval, b.comes, b.group);
    });
    return found;
}

} // namespace toft::lab
