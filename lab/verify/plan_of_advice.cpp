// SPDX-License-Identifier: MIT
#include "plan_of_advice.hpp"

#include "plan.h"

#include <algorithm>

namespace toft::lab {
namespace {

class builder {
  public:
    builder(const advice &a, const stack_tree &tree) : tree_(tree), function_(a.function) {
        plan_.region_module = module_of(tree[function_].module);
        plan_.region_parts = parts_of_function();
        plan_.steps.emplace_back();
        for (const std::uint32_t site : a.sites) add(site);
    }

    region_plan take() { return in_order(); }

  private:
    std::uint32_t module_of(std::uint32_t of_tree) {
        const auto known = std::find(modules_.begin(), modules_.end(), of_tree);
        if (known != modules_.end()) return static_cast<std::uint32_t>(known - modules_.begin());
        modules_.push_back(of_tree);
        plan_.modules.push_back(tree_.module(of_tree));
        return static_cast<std::uint32_t>(modules_.size() - 1);
    }

    // The function's begin first.
    std::vector<std::uint64_t> parts_of_function() const {
        std::vector<std::uint64_t> parts = {tree_[function_].function};
        for (std::uint32_t node = 1; node != tree_.size(); ++node) {
            const std::uint64_t part = tree_[node].part;
            if (!tree_.same_function(node, function_) || std::ranges::count(parts, part) != 0)
                continue;
            if (parts.size() != toft_verify_parts_most) parts.push_back(part);
        }
        return parts;
    }

    // In a function that calls itself, the innermost call counts.
    void add(std::uint32_t site) {
        std::vector<std::uint32_t> way;
        for (std::uint32_t at = site; at != 0; at = tree_[at].parent) {
            way.push_back(at);
            if (tree_.same_function(at, function_)) break;
        }
        std::uint32_t step = 0;
        for (auto at = way.rbegin(); at != way.rend(); ++at) step = next(step, *at);
        if (plan_.steps[step].site == 0) plan_.steps[step].site = ++plan_.sites;
    }

    std::uint32_t next(std::uint32_t step, std::uint32_t node) {
        const std::uint32_t module = module_of(tree_[node].module);
        for (const std::uint32_t known : plan_.steps[step].after)
            if (plan_.steps[known].module == module &&
                plan_.steps[known].address == tree_[node].address)
                return known;
        const auto added = static_cast<std::uint32_t>(plan_.steps.size());
        plan_.steps.push_back({module, tree_[node].address, 0, {}});
        plan_.steps[step].after.push_back(added);
        return added;
    }

    region_plan in_order() {
        std::vector<std::uint32_t> order = {0};
        for (std::size_t i = 0; i != order.size(); ++i) {
            const std::vector<std::uint32_t> &after = plan_.steps[order[i]].after;
            order.insert(order.end(), after.begin(), after.end());
        }
        std::vector<std::uint32_t> place(order.size());
        for (std::uint32_t i = 0; i != order.size(); ++i) place[order[i]] = i;
        region_plan ordered = plan_;
        for (std::size_t i = 0; i != order.size(); ++i) {
            ordered.steps[i] = plan_.steps[order[i]];
            for (std::uint32_t &after : ordered.steps[i].after) after = place[after];
        }
        return ordered;
    }

    const stack_tree &tree_;
    std::uint32_t function_;
    std::vector<std::uint32_t> modules_; // of the tree, by their number in the plan
    region_plan plan_;
};

} // namespace

region_plan plan_of(const advice &a, const stack_tree &tree) { return builder(a, tree).take(); }

} // namespace toft::lab
