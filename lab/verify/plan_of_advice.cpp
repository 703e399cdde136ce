// SPDX-License-Identifier: MIT
#include "plan_of_advice.hpp"

#include "plan.h"

#include <algorithm>

namespace toft::lab {
namespace {

class builder {
  public:
    builder(const advice &a, const stack_tree &tree, const code_source &code)
        : tree_(tree),
          function_(a.function) {
        plan_.region_module = module_of(tree[function_].module);
        find_code(code);
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

    // All that the compiler has made of the region's function.
    void find_code(const code_source &code) {
        std::vector<std::uint64_t> copies;
        for (std::uint32_t node = 1; node != tree_.size(); ++node) {
            const stack_tree::node &n = tree_[node];
            // Another module with the same text has other addresses, and isn't watched.
            if (!tree_.same_function(node, function_) || tree_.is_left(node) ||
                n.module != tree_[function_].module)
                continue;
            const bool is_inlined = tree_.is_inlined(node);
            std::vector<std::uint64_t> &known = is_inlined ? copies : plan_.region_parts;
            if (std::ranges::count(known, n.code) != 0) continue;
            if (!is_inlined && known.size() == toft_verify_parts_most) continue;
            known.push_back(n.code);
            if (!is_inlined || !code) continue;
            const auto copy = static_cast<std::uint32_t>(copies.size());
            for (const code_range &c : code(tree_.module(n.module), n.address, n.inside))
                plan_.copies.push_back({copy, c});
        }
        // A copy may lie in another one; then its code is less.
        const auto bytes = [](const planned_code &c) { return c.code.end - c.code.begin; };
        std::ranges::stable_sort(plan_.copies, {}, bytes);
    }

    // In a function that calls itself, the innermost call counts. An inlined call has the address
    // of the innermost one that is at it.
    void add(std::uint32_t site) {
        std::vector<std::uint32_t> way;
        for (std::uint32_t at = site; at != 0; at = tree_[at].parent) {
            if (tree_[at].inside == 0) way.push_back(at);
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

region_plan plan_of(const advice &a, const stack_tree &tree, const code_source &code) {
    return builder(a, tree, code).take();
}

} // namespace toft::lab
