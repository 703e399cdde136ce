// SPDX-License-Identifier: MIT
#pragma once

#include "record/recording.hpp"
#include "symbols.hpp"

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

// The stacks of all recordings of a program as one tree. Equal stacks of two runs are one node:
// modules are equal when their build ids are, or their paths where a module has no build id.
//
// A *frame* is a call of a function from one place: all nodes with the same parent and function.
// While the call goes on, the node changes with each line that calls further, and the frame stays.
namespace toft::lab {

class stack_tree {
  public:
    struct node {
        std::uint32_t parent = 0;
        std::uint32_t depth = 0; // the root's is 0
        std::uint32_t frame = 0; // the first node of the same frame
        std::uint32_t module = 0;
        std::uint64_t address = 0;
        std::uint64_t function = 0; // its begin; of the whole, where the address is in a part
        std::uint64_t part = 0;     // the begin of that part, which may be the function's own
    };

    // Without an argument each piece of code is a function by itself.
    explicit stack_tree(whole_function whole = {}) : whole_(std::move(whole)), nodes_(1) {}

    // Adds the recording's stacks, and returns this tree's node for each of its nodes. Throws
    // std::runtime_error when a node comes before its parent.
    std::vector<std::uint32_t> merge(const recording &);

    const node &operator[](std::uint32_t index) const { return nodes_[index]; }
    std::size_t size() const { return nodes_.size(); }
    const recorded_module &module(std::uint32_t index) const { return modules_[index]; }

    // The node that stands at this depth, at most that of `of`, on the way from the root to `of`.
    std::uint32_t ancestor(std::uint32_t of, std::uint32_t depth) const;

    // The two nodes are calls of one function, wherever they come from.
    bool same_function(std::uint32_t a, std::uint32_t b) const;

  private:
    struct key {
        std::uint32_t parent, module;
        std::uint64_t place;
        bool operator==(const key &) const = default;
    };
    struct hash_of_key {
        std::size_t operator()(const key &) const;
    };
    using node_index = std::unordered_map<key, std::uint32_t, hash_of_key>;

    std::uint32_t module_of(const recorded_module &);
    std::uint32_t node_of(std::uint32_t parent, const stack_node &, std::uint32_t module);
    std::uint64_t whole_of(std::uint32_t module, std::uint64_t part);

    whole_function whole_;
    std::unordered_map<key, std::uint64_t, hash_of_key> wholes_; // by module and part
    std::vector<node> nodes_;
    std::vector<recorded_module> modules_;
    node_index by_address_, by_function_;
};

} // namespace toft::lab
