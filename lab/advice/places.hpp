// SPDX-License-Identifier: MIT
#pragma once

#include "advice.hpp"
#include "lifetimes.hpp"
#include "stack_tree.hpp"
#include "symbols.hpp"

#include <array>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

// The nodes of the tree in the words of a programmer.
namespace toft::lab {

class places {
  public:
    places(const stack_tree &tree, symbol_source symbols)
        : tree_(tree),
          symbols_(std::move(symbols)) {}

    // Functions whose names don't tell that they only pass on what the heap gave them: a line of
    // theirs has objects of many callers, and each has a size of its own. To be called first.
    void learn_wrappers(const site_table &);

    // Who makes a site's objects: the innermost function that isn't a wrapper of malloc or a part
    // of the standard library, and the way from there to the heap. No figures.
    made_objects maker(std::uint32_t site);
    // The innermost function on that way which is a wrapper of malloc and the program's own, as
    // xmalloc: who changes it places the objects of all who call it. No name: there is none.
    source_place wrapper(std::uint32_t site);
    // The path of the shared library that has that function; empty: none, or the language's has it.
    std::string library_of(const made_objects &) const;
    // Whether that function is one of a shared library, which may have a hook for memory.
    bool is_in_library(const made_objects &) const;
    // Not what the C library makes for itself, such as a stream's buffer.
    bool can_be_changed(const made_objects &) const;

    // The function whose frame this is, and the line that it is at. Node 0 has no function.
    source_place line_of(std::uint32_t node);
    source_place function_of(std::uint32_t node); // without a line

    // What stands at a node. Where the tree doesn't know what was inlined, that comes first, and
    // then the function that it is in.
    std::span<const source_place> at(std::uint32_t node);

    // The innermost function of a stack that isn't a wrapper.
    source_place caller(std::uint32_t node) { return maker(node).by; }

    // The outermost of a stack's calls, below the call at this depth, by which a garbage collector
    // frees what it finds unused: it has such a name, or what calls malloc has called it. No name:
    // there is none.
    source_place collector(std::uint32_t node, std::uint32_t depth);

    // Whether a region of this function (0: none) for these sites is a matter of C++: one of its
    // calls down to the heap is C++, or its own text, or, where that says nothing, its callers'.
    bool is_cpp(std::uint32_t function, std::span<const std::uint32_t> sites);

    // Whether a programmer may change the function: it is none of the language's library.
    bool can_be_changed(std::uint32_t node);

  private:
    // What a function's name tells of its part on a way to the heap.
    struct part {
        bool is_wrapper = false, allocates = false, is_collector = false, is_inner = false;
        std::string inner_class = {}; // that an inner part is of; empty: the text can't name it
    };
    const part &part_of(const source_place &); // names of templates take long to read
    bool passes_on(const source_place &);

    bool is_main(std::uint32_t node) const;
    const std::string &module_of(std::uint32_t node) const;

    const stack_tree &tree_;
    symbol_source symbols_;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<source_place>> known_;
    std::array<std::unordered_map<std::string, part>, 2> parts_; // the second: Rust's
    std::set<std::pair<std::string, std::string>> learnt_;       // wrappers: their names and files
};

// Whether the function only passes on what the heap gave it: "operator new", "xmalloc",
// "std::allocator<int>::allocate".
bool is_wrapper(const source_place &);
// "libxml2.so.2.9.14"
bool is_shared_library(const std::string &path);
// The file of the program itself; null: nothing of it is in the recording.
const recorded_module *module_of_program(const recording &);

// Whether the function belongs to a garbage collector: "gc_sweep", "wrenCollectGarbage".
bool is_collector(const source_place &);

} // namespace toft::lab
