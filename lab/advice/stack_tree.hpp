// SPDX-License-Identifier: MIT
#pragma once

#include "record/recording.hpp"
#include "symbols.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

// The stacks of all recordings of a program as one tree. Equal stacks of two runs are one node:
// modules are equal when their build ids are, or their paths where a module has no build id.
//
// The calls are those of the text: what was inlined has a node of its own, below the function that
// it was inlined into.
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
        std::uint64_t address = 0;  // to which a call returns
        std::uint64_t function = 0; // the number of its text
        std::uint64_t code = 0;     // of an inlined call which copy, else the begin of its code
        std::uint64_t line = 0;     // number of the place in the text; 0: not known
        std::uint32_t inside = 0;   // so many calls were inlined into this one at the address
        std::uint32_t compiled_depth = 0; // counts those that have a frame of the machine
    };
    static constexpr std::uint32_t left_in_tail_position = UINT32_MAX; // instead of `inside`

    // Each piece of code is a function by itself.
    stack_tree() : nodes_(1) {}
    // The text's calls, of all modules of these recordings, wherever one of them has had its file.
    stack_tree(const program_symbols &, std::span<const recording> all);

    // Adds the recording's stacks, and returns this tree's node for each of its nodes. Throws
    // std::runtime_error when a node comes before its parent.
    std::vector<std::uint32_t> merge(const recording &);

    const node &operator[](std::uint32_t index) const { return nodes_[index]; }
    std::size_t size() const { return nodes_.size(); }
    const recorded_module &module(std::uint32_t index) const { return modules_[index]; }

    // The node that stands at this depth, at most that of `of`, on the way from the root to `of`.
    std::uint32_t ancestor(std::uint32_t of, std::uint32_t depth) const;

    // The two nodes are calls of one function, wherever they come from.
    bool same_function(std::uint32_t a, std::uint32_t b) const {
        return function_of(a) == function_of(b) && (a == 0) == (b == 0);
    }
    // The depth of a node's innermost call of a function, which a node names; 0: there is none.
    std::uint32_t depth_of_call(std::uint32_t of, std::uint32_t called) const {
        while (of != 0 && !same_function(of, called)) of = nodes_[of].parent;
        return of == 0 ? 0 : nodes_[of].depth;
    }
    // A function in all modules that have its text.
    struct function {
        std::uint32_t module;
        std::uint64_t number;
        auto operator<=>(const function &) const = default;
    };
    function function_of(std::uint32_t index) const {
        const node &n = nodes_[index];
        return {n.function >= first_shared_text ? UINT32_MAX : n.module, n.function};
    }

    // The call was inlined into its parent's. Without a frame of the machine is also a call that
    // has called another function in tail position: only its caller shows that it goes on.
    bool is_inlined(std::uint32_t index) const {
        const node &n = nodes_[index];
        return n.compiled_depth == nodes_[n.parent].compiled_depth && index != 0 && !is_left(index);
    }
    bool is_left(std::uint32_t index) const {
        return nodes_[index].inside == left_in_tail_position;
    }
    const source_place &place_of_left(std::uint32_t index) const {
        return left_.at(nodes_[index].function);
    }

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
    const known_calls &calls_at(const stack_node &, std::uint32_t module);
    std::uint32_t node_of(std::uint32_t parent, const stack_node &, std::uint32_t module,
                          const known_calls &);
    std::uint32_t leave(std::uint32_t caller, std::uint32_t below, std::uint64_t compiled);
    std::uint32_t add(const node &, std::uint64_t place);

    call_source calls_;
    left_source left_by_;
    std::unordered_map<key, known_calls, hash_of_key> known_calls_; // by the address
    using left_key = std::tuple<std::uint32_t, std::uint64_t, std::uint32_t, std::uint64_t>;
    std::map<left_key, std::vector<left_call>> known_left_; // by what `left_by_` is asked for
    std::unordered_map<std::uint64_t, source_place> left_;  // by function
    std::vector<node> nodes_;
    std::vector<recorded_module> modules_;
    node_index by_place_, by_function_;
};

} // namespace toft::lab
