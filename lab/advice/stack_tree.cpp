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

stack_tree::stack_tree(const program_symbols &symbols, std::span<const recording> all)
    : calls_(symbols.calls),
      left_by_(symbols.left),
      nodes_(1) {
    for (const recording &r : all)
        for (const recorded_module &m : r.modules) module_of(m);
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

const known_calls &stack_tree::calls_at(const stack_node &n, std::uint32_t module) {
    const auto [known, added] = known_calls_.try_emplace({0, module, n.address});
    if (added && calls_) known->second = calls_(modules_[module], n.address, n.function);
    if (known->second.calls.empty()) known->second.calls.push_back({.function = n.function});
    return known->second;
}

std::uint32_t stack_tree::add(const node &n, std::uint64_t place) {
    const auto next = static_cast<std::uint32_t>(nodes_.size());
    const auto [known, added] = by_place_.try_emplace({n.parent, n.module, place}, next);
    if (!added) return known->second;
    nodes_.push_back(n);
    nodes_.back().frame =
        by_function_.try_emplace({n.parent, n.module, n.function}, next).first->second;
    return next;
}

// A call's place in its function is the address, or the copy that was inlined there.
std::uint32_t stack_tree::node_of(std::uint32_t parent, const stack_node &n, std::uint32_t module,
                                  const known_calls &here) {
    const std::vector<text_call> &calls = here.calls;
    const std::uint32_t compiled_depth = nodes_[parent].compiled_depth + 1;
    auto inside = static_cast<std::uint32_t>(calls.size());
    for (const text_call &call : calls) {
        const std::uint64_t place = --inside == 0 ? n.address : calls[calls.size() - inside].copy;
        parent = add({.parent = parent,
                      .depth = nodes_[parent].depth + 1,
                      .module = module,
                      .address = n.address,
                      .function = call.function,
                      .code = call.copy != 0 ? call.copy : n.function,
                      .line = call.line,
                      .inside = inside,
                      .compiled_depth = compiled_depth},
                     place);
    }
    return parent;
}

// Below the calls that were left between the caller and the function that runs in the module
// `below`; 0: the heap's.
std::uint32_t stack_tree::leave(std::uint32_t caller, std::uint32_t below, std::uint64_t compiled) {
    const std::uint32_t module = nodes_[caller].module;
    const std::uint64_t address = nodes_[caller].address;
    const auto [known, added] = known_left_.try_emplace({module, address, below, compiled});
    if (added && left_by_)
        known->second = left_by_(modules_[module], address, modules_[below], compiled);
    for (const left_call &call : known->second) {
        node n = nodes_[caller];
        n.parent = caller;
        ++n.depth;
        n.module = below;
        n.function = n.line = call.function;
        n.inside = left_in_tail_position;
        left_.try_emplace(n.function, call.place);
        caller = add(n, n.function);
    }
    return caller;
}

std::vector<std::uint32_t> stack_tree::merge(const recording &r) {
    std::vector<std::uint32_t> modules;
    for (const recorded_module &m : r.modules) modules.push_back(module_of(m));
    const std::size_t stacks = std::max<std::size_t>(r.stacks.size(), 1);
    static const known_calls none;
    std::vector<const known_calls *> calls(stacks, &none);
    std::vector<std::uint32_t> callers(stacks), merged(stacks);
    for (std::size_t i = 1; i < r.stacks.size(); ++i) {
        const stack_node &n = r.stacks[i];
        if (n.parent >= i || n.module >= modules.size())
            throw std::runtime_error("the recording's stacks are damaged");
        const std::uint32_t module = modules[n.module];
        const known_calls &here = *(calls[i] = &calls_at(n, module)), &above = *calls[n.parent];
        std::uint32_t caller = callers[n.parent];
        if (above.callee != 0 && here.compiled != 0 && above.callee != here.compiled)
            caller = leave(caller, module, here.compiled);
        callers[i] = node_of(caller, n, module, here);
        merged[i] = here.callee != 0 ? leave(callers[i], module, 0) : callers[i];
    }
    return merged;
}

std::uint32_t stack_tree::ancestor(std::uint32_t of, std::uint32_t depth) const {
    while (nodes_[of].depth > depth) of = nodes_[of].parent;
    return of;
}

} // namespace toft::lab
