// SPDX-License-Identifier: MIT
#include "stack_tree.hpp"

#include <algorithm>
#include <stdexcept>

namespace toft::lab {

std::size_t stack_tree::hash_of_key::operator()(const key &k) const {
    std::uint64_t h = k.place * 0x9e3779b97f4a7c15U;
    h ^= (std::uint64_t{k.parent} << 32 | k.module) * 0xc2b2ae3d27d4eb4fU;
    return static_cast<std::size_t>(h ^ h >> 29);
}

std::uint32_t stack_tree::module_of(const recorded_module &m) {
    const auto same = [&](const recorded_module &known) {
        return m.build_id == known.build_id && (!m.build_id.empty() || m.path == known.path);
    };
    const auto found = std::find_if(modules_.begin(), modules_.end(), same);
    const auto at = static_cast<std::uint32_t>(found - modules_.begin());
    if (found == modules_.end()) {
        modules_.push_back(m);
    } else if (found->path != m.path) {
        std::vector<std::string> &others = found->other_paths;
        if (std::find(others.begin(), others.end(), m.path) == others.end())
            others.push_back(m.path);
    }
    return at;
}

std::uint64_t stack_tree::whole_of(std::uint32_t module, std::uint64_t part) {
    if (!whole_) return part;
    const auto [known, added] = wholes_.try_emplace({0, module, part}, part);
    if (added) known->second = whole_(modules_[module], part);
    return known->second;
}

std::uint32_t stack_tree::node_of(std::uint32_t parent, const stack_node &n, std::uint32_t module) {
    const auto next = static_cast<std::uint32_t>(nodes_.size());
    const auto [known, added] = by_address_.try_emplace({parent, module, n.address}, next);
    if (!added) return known->second;
    const std::uint64_t function = whole_of(module, n.function);
    const std::uint32_t frame =
        by_function_.try_emplace({parent, module, function}, next).first->second;
    nodes_.push_back(
        {parent, nodes_[parent].depth + 1, frame, module, n.address, function, n.function});
    return next;
}

std::vector<std::uint32_t> stack_tree::merge(const recording &r) {
    std::vector<std::uint32_t> modules;
    for (const recorded_module &m : r.modules) modules.push_back(module_of(m));
    std::vector<std::uint32_t> merged(std::max<std::size_t>(r.stacks.size(), 1));
    for (std::size_t i = 1; i < r.stacks.size(); ++i) {
        const stack_node &n = r.stacks[i];
        if (n.parent >= i || n.module >= modules.size())
            throw std::runtime_error("the recording's stacks are damaged");
        merged[i] = node_of(merged[n.parent], n, modules[n.module]);
    }
    return merged;
}

std::uint32_t stack_tree::ancestor(std::uint32_t of, std::uint32_t depth) const {
    while (nodes_[of].depth > depth) of = nodes_[of].parent;
    return of;
}

bool stack_tree::same_function(std::uint32_t a, std::uint32_t b) const {
    return nodes_[a].module == nodes_[b].module && nodes_[a].function == nodes_[b].function &&
           (a == 0) == (b == 0);
}

} // namespace toft::lab
