// SPDX-License-Identifier: MIT
#include "scopes.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace toft::lab {
namespace {

using node_test = std::function<bool(std::uint32_t)>;

std::uint64_t mix(std::uint64_t h, std::uint64_t value) {
    h = (h ^ value) * 0x9e3779b97f4a7c15U;
    return h ^ h >> 32;
}

// The ways up from sites. A function that calls itself would have an arena in each call, and its
// objects in the innermost: only that call of a function is looked at. Else a deep recursion would
// have as many ways as it has sites, times its depth.
class ways_up {
  public:
    explicit ways_up(const stack_tree &tree) : tree_(tree), functions_(tree.size()) {
        std::map<stack_tree::function, std::uint32_t> numbers;
        for (std::uint32_t node = 1; node != tree.size(); ++node) {
            const auto next = static_cast<std::uint32_t>(numbers.size());
            functions_[node] = numbers.try_emplace(tree.function_of(node), next).first->second;
        }
        seen_.resize(numbers.size());
    }

    // Calls back for frames on the way from the site up to the thread's first: the node, and a hash
    // of the way from its function down to the site, whoever called it. Stops when told to.
    template <class Function>
    void for_each(std::uint32_t site, Function function) {
        ++turn_;
        std::uint64_t way = 0;
        for (std::uint32_t at = site; at != 0; at = tree_[at].parent) {
            const stack_tree::node &n = tree_[at];
            way = n.line != 0 ? mix(way, n.line) : mix(mix(way, n.module), n.address);
            std::uint64_t &seen = seen_[functions_[at]];
            if (seen != turn_ && !function(at, mix(way, n.function))) return;
            seen = turn_;
        }
    }

  private:
    const stack_tree &tree_;
    std::vector<std::uint32_t> functions_; // by node, as numbers
    std::vector<std::uint64_t> seen_;      // by function, the last turn that had a call of it
    std::uint64_t turn_ = 0;
};

// The ways on which an object outlived the call that they begin with, in order.
std::vector<std::uint64_t> escaping_ways(const lifetimes &all, const stack_tree &tree,
                                         ways_up &up) {
    std::vector<std::uint64_t> ways;
    for (std::uint32_t site = 0; site != all.sites.size(); ++site) {
        if (all.sites[site].objects == 0) continue;
        const std::int32_t scope = all.sites[site].scope();
        up.for_each(site, [&](std::uint32_t at, std::uint64_t way) {
            if (static_cast<std::int32_t>(tree[at].depth) <= scope) return false;
            ways.push_back(way);
            return true;
        });
    }
    std::sort(ways.begin(), ways.end());
    ways.erase(std::unique(ways.begin(), ways.end()), ways.end());
    return ways;
}

std::uint32_t owner_of(const lifetimes &all, const stack_tree &tree, ways_up &up,
                       std::uint32_t site, const std::vector<std::uint64_t> &escaping,
                       const node_test &can_own) {
    const std::int32_t scope = all.sites[site].scope();
    std::uint32_t owner = 0;
    up.for_each(site, [&](std::uint32_t at, std::uint64_t way) {
        if (static_cast<std::int32_t>(tree[at].depth) > scope) return true;
        if (std::binary_search(escaping.begin(), escaping.end(), way)) return true;
        if (!can_own(at)) return true;
        owner = tree[at].frame;
        return false;
    });
    return owner;
}

} // namespace

std::vector<scope_group> group_by_scope(const lifetimes &all, const stack_tree &tree,
                                        const node_test &can_own) {
    ways_up up(tree);
    const std::vector<std::uint64_t> escaping = escaping_ways(all, tree, up);
    std::map<std::pair<stack_tree::function, bool>, std::size_t> known;
    std::vector<scope_group> groups;
    for (std::uint32_t site = 0; site != all.sites.size(); ++site) {
        if (all.sites[site].objects == 0 || all.sites[site].scope() == no_scope) continue;
        const std::uint32_t owner = owner_of(all, tree, up, site, escaping, can_own);
        const std::pair function(tree.function_of(owner), owner == 0);
        const auto [group, added] = known.try_emplace(function, groups.size());
        if (added) groups.push_back({owner, {}});
        groups[group->second].sites.push_back({site, owner});
    }
    return groups;
}

bool mostly_grow(const std::vector<owned_site> &sites, const lifetimes &all) {
    std::uint64_t growing = 0, calls = 0;
    for (const owned_site &s : sites) {
        const site_lifetimes &of = all.sites[s.site];
        calls += of.objects + of.resizes;
        if (grows(of)) growing += of.objects + of.resizes;
    }
    return growing * 2 > calls;
}

} // namespace toft::lab
