// SPDX-License-Identifier: MIT
#pragma once

#include "history.hpp"

#include <map>
#include <utility>
#include <vector>

// The calls of a recording by name, with what was allocated below each.
namespace toft::lab {

struct stack_weight {
    std::uint64_t objects = 0, bytes = 0;
    double byte_seconds = 0;
};

// The functions of a recording's stacks.
class frame_names {
  public:
    frame_names(const recording &of, symbol_source symbols)
        : of_(of),
          symbols_(std::move(symbols)) {}

    // Innermost first: the functions that were inlined, and the one that they are in.
    const std::vector<source_place> &at(std::uint32_t stack) { return known_at(stack).places; }
    // The innermost function that isn't a wrapper of malloc, or else the outermost that is; null:
    // none is known.
    const source_place *maker(std::uint32_t stack);

  private:
    struct known_frame {
        std::vector<source_place> places;
        const source_place *no_wrapper = nullptr; // the innermost; names of templates take long
    };
    const known_frame &known_at(std::uint32_t stack);

    const recording &of_;
    symbol_source symbols_;
    std::map<std::pair<std::uint32_t, std::uint64_t>, known_frame> known_;
};

struct stack_makers {
    std::vector<maker_total> all;
    std::vector<std::uint32_t> of_stack; // which of them makes its objects, if there are any
};

// `weights` has an element for each stack. Calls that hold next to nothing are left out; what they
// allocate is still counted in those that call them.
flame_node flames_of(const recording &, const std::vector<stack_weight> &weights, frame_names &);

// All functions of stacks that made objects, but for the wrappers through which they did.
stack_makers makers_of(const recording &, const std::vector<stack_weight> &weights, frame_names &);

} // namespace toft::lab
