// SPDX-License-Identifier: MIT
#include "flames.hpp"

#include "place_text.hpp"
#include "places.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace toft::lab {
namespace {

constexpr double least_share = 0.001; // of all bytes, or of all bytes times their lives
// Calls in calls that are drawn. What draws and writes them calls itself for each, and nobody sees
// more of a recursion.
constexpr std::size_t deepest = 500;
constexpr std::uint32_t no_stack = ~0U;

// The frames below the root, the outermost first.
std::vector<std::uint32_t> frames_of(const recording &of, std::uint32_t stack) {
    std::vector<std::uint32_t> frames;
    for (; stack != 0 && stack < of.stacks.size(); stack = of.stacks[stack].parent)
        frames.push_back(stack);
    std::reverse(frames.begin(), frames.end());
    return frames;
}

template <class Total>
void add(Total &to, const stack_weight &w) {
    to.objects += w.objects;
    to.bytes += w.bytes;
    to.byte_seconds += w.byte_seconds;
}

flame_node &child_of(flame_node &parent, const std::string &name) {
    for (flame_node &child : parent.children)
        if (child.name == name) return child;
    parent.children.push_back({.name = name});
    return parent.children.back();
}

// By stack: what was allocated there and below.
std::vector<stack_weight> weights_below(const recording &of, std::vector<stack_weight> weights) {
    // A node's parent stands before it.
    for (std::size_t stack = weights.size(); stack-- > 1;) {
        const std::uint32_t parent = of.stacks[stack].parent;
        if (parent >= stack) continue;
        add(weights[parent], weights[stack]);
    }
    return weights;
}

} // namespace

const frame_names::known_frame &frame_names::known_at(std::uint32_t stack) {
    const stack_node &node = of_.stacks[stack];
    const auto [known, is_new] = known_.try_emplace({node.module, node.address});
    known_frame &frame = known->second;
    if (is_new && node.module < of_.modules.size()) {
        frame.places = symbols_(of_.modules[node.module], node.address);
        const auto found = std::ranges::find_if_not(frame.places, is_wrapper);
        if (found != frame.places.end()) frame.no_wrapper = &*found;
    }
    return frame;
}

const source_place *frame_names::maker(std::uint32_t stack) {
    const source_place *last = nullptr;
    for (; stack != 0 && stack < of_.stacks.size(); stack = of_.stacks[stack].parent) {
        const known_frame &frame = known_at(stack);
        if (frame.no_wrapper) return frame.no_wrapper;
        if (!frame.places.empty()) last = &frame.places.back();
    }
    return last;
}

flame_node flames_of(const recording &of, const std::vector<stack_weight> &weights,
                     frame_names &names) {
    flame_node root{.name = "all"};
    if (weights.empty()) return root;
    const std::vector<stack_weight> below = weights_below(of, weights);
    const double least_bytes = static_cast<double>(below[0].bytes) * least_share;
    const double least_seconds = below[0].byte_seconds * least_share;
    const auto is_shown = [&](std::uint32_t stack) {
        return static_cast<double>(below[stack].bytes) > least_bytes ||
               below[stack].byte_seconds > least_seconds;
    };
    for (std::uint32_t stack = 0; stack != weights.size(); ++stack) {
        if (weights[stack].objects == 0) continue;
        flame_node *at = &root;
        add(*at, weights[stack]);
        std::size_t depth = 0;
        for (const std::uint32_t frame : frames_of(of, stack)) {
            if (!is_shown(frame)) break;
            const std::vector<source_place> &places = names.at(frame);
            for (auto p = places.rbegin(); p != places.rend() && depth != deepest; ++p, ++depth) {
                at = &child_of(*at, short_name(p->function));
                add(*at, weights[stack]);
            }
        }
    }
    return root;
}

stack_makers makers_of(const recording &of, const std::vector<stack_weight> &weights,
                       frame_names &names) {
    stack_makers makers;
    makers.of_stack.resize(weights.size());
    std::vector<std::uint32_t> last; // by function: the last stack that had it
    std::map<std::string, std::uint32_t> known;
    const auto function_called = [&](const std::string &name) {
        const auto next = static_cast<std::uint32_t>(last.size());
        const auto [found, is_new] = known.try_emplace(name, next);
        if (is_new) {
            makers.all.push_back({.name = name});
            last.push_back(no_stack);
        }
        return found->second;
    };
    std::vector<std::vector<std::uint32_t>> functions(weights.size()); // by frame, innermost first
    const auto functions_of = [&](std::uint32_t frame) -> const std::vector<std::uint32_t> & {
        if (functions[frame].empty())
            for (const source_place &p : names.at(frame))
                functions[frame].push_back(function_called(short_name(p.function)));
        return functions[frame];
    };
    // A recursion counts once.
    const auto add_calls = [&](std::uint32_t function, std::uint32_t stack) {
        if (std::exchange(last[function], stack) == stack) return;
        makers.all[function].bytes_with_calls += weights[stack].bytes;
    };
    for (std::uint32_t stack = 0; stack != weights.size(); ++stack) {
        if (weights[stack].objects == 0) continue;
        const source_place *maker = names.maker(stack);
        const std::uint32_t own =
            function_called(maker ? short_name(maker->function) : "the program");
        makers.of_stack[stack] = own;
        add(makers.all[own], weights[stack]);
        add_calls(own, stack);
        bool has_made = false; // what stands inside the maker passes on what it gets
        for (std::uint32_t frame = stack; frame != 0; frame = of.stacks[frame].parent)
            for (const std::uint32_t function : functions_of(frame)) {
                has_made = has_made || function == own;
                if (has_made) add_calls(function, stack);
            }
    }
    return makers;
}

} // namespace toft::lab
