// SPDX-License-Identifier: MIT
#include "places.hpp"

#include "place_text.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <initializer_list>
#include <string_view>
#include <tuple>

namespace toft::lab {
namespace {

constexpr std::size_t longest_way = 6;

// The last word of a name in parts: "xmlMalloc" and "x_malloc" end with "malloc".
bool ends_with_word(const std::string &function, std::string_view word) {
    if (function.size() < word.size()) return false;
    const auto same = [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) == b;
    };
    return std::equal(word.begin(), word.end(), function.end() - static_cast<long>(word.size()),
                      [&](char b, char a) { return same(a, b); });
}

// Where that word isn't the end of another one: "preallocate" is none.
bool ends_with_part(const std::string &function, std::string_view word) {
    if (!ends_with_word(function, word)) return false;
    const std::size_t at = function.size() - word.size();
    const auto first = static_cast<unsigned char>(function[at]);
    return at == 0 || std::isupper(first) ||
           !std::isalpha(static_cast<unsigned char>(function[at - 1]));
}

// Where a name in parts has that word in any case: "gc_mark", "JS_RunGC", "collectGarbage".
bool has_part(const std::string &function, std::string_view word) {
    for (std::size_t end = word.size(); end <= function.size(); ++end) {
        const bool ends =
            end == function.size() || !std::islower(static_cast<unsigned char>(function[end]));
        if (ends && ends_with_part(function.substr(0, end), word)) return true;
    }
    return false;
}

// "js_malloc_rt", "sqlite3_malloc64", "malloc_wrapper" and "xmalloc.constprop.0" without what tells
// one of several such functions, or a compiler's copies, from the others.
std::string without_variant(const std::string &function) {
    constexpr std::size_t longest_part = 3;
    std::string name = function.substr(0, function.find('.'));
    name.erase(name.find_last_not_of("_0123456789") + 1);
    constexpr std::string_view wrapper = "_wrapper";
    if (name.ends_with(wrapper)) name.erase(name.size() - wrapper.size());
    const std::size_t last = name.rfind('_');
    if (last != name.npos && name.size() - last <= longest_part + 1) name.erase(last);
    return name;
}

bool begins_with_any(std::string_view name, std::initializer_list<std::string_view> beginnings) {
    return std::any_of(beginnings.begin(), beginnings.end(),
                       [&](std::string_view beginning) { return name.starts_with(beginning); });
}

struct rust_owner {
    std::string_view type, trait;
};

// "prog::Tree" and "core::clone::Clone>::clone" of "<prog::Tree as core::clone::Clone>::clone".
// Where there is no trait, the type goes on to the name's end.
rust_owner owner_in_rust(std::string_view function) {
    if (!function.starts_with('<')) return {function, {}};
    int open = 1;
    for (std::size_t i = 1; open != 0 && i != function.size(); ++i) {
        if (function[i] == '<') ++open;
        if (function[i] == '>' && function[i - 1] != '-') --open; // "->" is no bracket
        if (open == 1 && function.substr(i).starts_with(" as "))
            return {function.substr(1, i - 1), function.substr(i + 4)};
    }
    return {function.substr(1), {}};
}

// A user may give a type of the library a trait, and a type of his own one of the library. Nobody
// else may add to slices and "str" themselves, as with "<[u8]>::to_vec".
bool is_of_rust_library(std::string_view function) {
    const auto is_in_library = [](std::string_view path) {
        return begins_with_any(path, {"alloc::", "core::", "hashbrown::", "std::", "__rust"});
    };
    const auto [type, trait] = owner_in_rust(function);
    if (trait.empty())
        return is_in_library(type) || type.starts_with("str>") ||
               (type.starts_with('[') && type.find("]>") == type.find(']'));
    return (is_in_library(type) || type.starts_with('[') || type.find("::") == type.npos) &&
           (is_in_library(trait) || trait.starts_with("<["));
}

// The same for a name that nobody could read. The function's crate comes first in it, behind "Cs",
// a hash and a line: "_RNvNtCs4fq_5alloc5alloc5alloc".
bool is_of_rust_library_unread(std::string_view linkage) {
    const std::size_t crate = linkage.find('_', std::min(linkage.find("Cs"), linkage.size()));
    return crate != linkage.npos &&
           begins_with_any(linkage.substr(crate + 1),
                           {"5alloc", "4core", "9hashbrown", "3std", "7___rustc"});
}

bool is_of_library(const source_place &p) {
    if (p.is_rust)
        return p.function.starts_with("_R") ? is_of_rust_library_unread(p.function)
                                            : is_of_rust_library(p.function);
    const std::string_view name = without_result(p.function);
    return begins_with_any(name, {"std::", "__gnu_cxx::", "operator new", "operator delete",
                                  "boost::container::", "absl::"});
}

// What a library's container does inside says nothing to its user; what it is a container of, in
// brackets, isn't asked.
bool is_inner_part(const source_place &p) {
    if (p.is_rust)
        return begins_with_any(owner_in_rust(p.function).type,
                               {"alloc::alloc::", "alloc::raw_vec::", "__rust"});
    if (!is_of_library(p)) return false;
    const std::string name = without_inline_namespaces(name_of_template(p.function));
    return name.find("::_") != name.npos || name.starts_with("std::alloc");
}

// The class that such a part is of, when the text can name it: "std::basic_string<...>".
std::string class_of_inner_part(std::string_view function) {
    const std::string name = without_inline_namespaces(name_of_template(function));
    const std::size_t end = name.find(">::_");
    return end == name.npos || name.starts_with("std::_") ? "" : name.substr(0, end + 1);
}

bool is_operator_new(const source_place &p) { return p.function.starts_with("operator new"); }

// The libraries of C and C++, which each program has.
bool is_language_library(const std::string &path) {
    const std::string name = std::filesystem::path(path).filename().string();
    return begins_with_any(name, {"libc.so", "libc-", "libm.so", "libpthread", "libdl.so",
                                  "ld-linux", "libstdc++.so", "libc++", "libgcc_s"});
}

// "re2c::allocate" for "re2c::Span* re2c::allocate<re2c::Span>"
std::string without_arguments(const std::string &function) {
    std::string name = name_of_template(function);
    constexpr std::string_view arguments = "<...>";
    if (name.ends_with(arguments)) name.erase(name.size() - arguments.size());
    return name;
}

// "mem_alloc" and "defaultAlloc", but not "node_alloc", which makes nodes.
bool is_any_alloc(const std::string &name) {
    for (const std::string part : {"checked", "default", "heap", "mem", "memory", "raw", "safe"})
        if (ends_with_word(name, part + "alloc") || ends_with_word(name, part + "_alloc"))
            return true;
    return false;
}

// Whether a wrapper of malloc's kind has such a name. "allocate_row" is none.
bool allocates(const std::string &function) {
    std::string name = without_arguments(function);
    name.erase(std::min(name.find('.'), name.size()));
    const std::string variant_of = without_variant(name);
    for (const std::string_view word :
         {"malloc", "calloc", "realloc", "memalign", "strdup", "strndup", "memdup", "xmemdupz",
          "asprintf", "malloc0", "reallocarray", "zalloc", "malloc_zero", "mallocz",
          "malloc_usable", "calloc_usable", "realloc_usable"})
        if (ends_with_word(name, word) || ends_with_word(variant_of, word)) return true;
    return is_any_alloc(name) || is_any_alloc(variant_of) || ends_with_part(name, "allocate") ||
           ends_with_part(name, "reallocate");
}

} // namespace

bool is_shared_library(const std::string &path) {
    const std::string name = std::filesystem::path(path).filename().string();
    return name.ends_with(".so") || name.find(".so.") != name.npos;
}

const recorded_module *module_of_program(const recording &r) {
    for (const recorded_module &m : r.modules)
        if (!m.path.empty() && !is_shared_library(m.path)) return &m;
    return nullptr;
}

bool is_wrapper(const source_place &p) {
    if (is_of_library(p) || allocates(p.function)) return true;
    for (const std::string_view word : {"free", "free_rt", "free_wrapper", "deallocate"})
        if (ends_with_word(p.function, word)) return true; // "free_str" is none
    return false;
}

bool is_collector(const source_place &p) {
    if (is_of_library(p)) return false;
    const std::string name = p.function.substr(0, p.function.find('.'));
    for (const std::string_view word : {"gc", "garbage"})
        if (has_part(name, word)) return true;
    for (const std::string_view word : {"collect", "sweep", "sweeplist", "fullgc"})
        if (ends_with_part(name, word)) return true; // "collect_arguments" is none
    return false;
}

std::span<const source_place> places::at(std::uint32_t node) {
    if (tree_.is_left(node)) return {&tree_.place_of_left(node), 1};
    const stack_tree::node &n = tree_[node];
    const auto [known, added] = known_.try_emplace({n.module, n.address});
    if (added) {
        const recorded_module &module = tree_.module(n.module);
        known->second = symbols_(module, n.address);
        std::string &outermost = known->second.back().function;
        if (outermost == unknown_place(module, n.address).function && is_main(node))
            outermost = "main";
    }
    const std::span<const source_place> all = known->second;
    const std::size_t inside = std::min<std::size_t>(n.inside, all.size() - 1);
    return tree_.is_inlined(node) ? all.subspan(inside, 1) : all.subspan(inside);
}

const places::part &places::part_of(const source_place &p) {
    const auto [known, added] = parts_[p.is_rust].try_emplace(p.function);
    if (added) {
        const bool inner = is_inner_part(p);
        known->second = {is_wrapper(p), allocates(p.function), is_collector(p), inner,
                         inner && !p.is_rust ? class_of_inner_part(p.function) : ""};
    }
    return known->second;
}

// A stripped program has no name for it. Below the program's _start, two functions of glibc 2.34 or
// newer call it; one calls constructors, and four what was given to atexit.
bool places::is_main(std::uint32_t node) const {
    const auto caller_of = [this](std::uint32_t called) { return tree_[called].parent; };
    const std::uint32_t call_main = caller_of(node), start_main = caller_of(call_main),
                        start = caller_of(start_main);
    return start != 0 && caller_of(start) == 0 && tree_[start].module == tree_[node].module &&
           !is_shared_library(module_of(node)) && is_language_library(module_of(call_main)) &&
           is_language_library(module_of(start_main));
}

const std::string &places::module_of(std::uint32_t node) const {
    return tree_.module(tree_[node].module).path;
}

bool places::passes_on(const source_place &p) {
    return part_of(p).is_wrapper || (!learnt_.empty() && learnt_.contains({p.function, p.file}));
}

void places::learn_wrappers(const site_table &sites) {
    constexpr std::size_t many_callers = 8, many_sizes = 6;
    struct evidence {
        std::set<std::string> callers;
        std::set<std::uint64_t> sizes;
        std::uint64_t objects = 0, of_one_size = 0; // in each stack
    };
    std::map<line_key, evidence> all;
    for (std::uint32_t site = 1; site < sites.size(); ++site) {
        const site_lifetimes &s = sites[site];
        if (s.objects == 0) continue;
        const made_objects made = maker(site);
        const std::uint32_t caller = tree_[made.node].parent;
        evidence &of = all[line_key_of(made.by)];
        of.objects += s.objects;
        if (s.smallest != s.largest || s.resizes != 0 || caller == 0) continue;
        of.of_one_size += s.objects;
        of.callers.insert(at(caller).front().function);
        of.sizes.insert(s.smallest);
    }
    for (const auto &[line, of] : all)
        if (of.callers.size() >= many_callers && of.sizes.size() >= many_sizes &&
            of.of_one_size * 2 >= of.objects)
            learnt_.emplace(std::get<0>(line), std::get<1>(line));
}

made_objects places::maker(std::uint32_t site) {
    made_objects found;
    // Where the compiled standard library has the container's outer parts too, as it has strings',
    // an inner one tells what grows.
    std::string inner;
    const auto add_inner = [&] {
        if (!inner.empty() && std::all_of(found.way.begin(), found.way.end(), is_operator_new))
            found.way.push_back({inner, "", 0});
    };
    for (found.node = site; found.node != 0; found.node = tree_[found.node].parent) {
        for (const source_place &p : at(found.node)) {
            found.by = p;
            const part &known = part_of(p);
            if (!passes_on(p)) return add_inner(), found;
            if (known.is_inner) {
                if (!known.inner_class.empty()) inner = known.inner_class;
            } else if (found.way.size() < longest_way) {
                found.way.push_back(p);
            }
        }
    }
    return found;
}

source_place places::wrapper(std::uint32_t site) {
    for (std::uint32_t node = site; node != 0; node = tree_[node].parent) {
        for (source_place p : at(node)) {
            if (!passes_on(p)) return {};
            if (is_of_library(p) || is_shared_library(module_of(node))) continue;
            p.line = 0;
            return p;
        }
    }
    return {};
}

// The language's libraries have no hooks.
std::string places::library_of(const made_objects &made) const {
    const std::string &path = module_of(made.node);
    const bool has_hook = made.node != 0 && is_shared_library(path) && !is_language_library(path);
    return has_hook ? path : "";
}

bool places::is_in_library(const made_objects &made) const { return !library_of(made).empty(); }

bool places::can_be_changed(const made_objects &made) const {
    return !is_language_library(module_of(made.node));
}

source_place places::line_of(std::uint32_t node) {
    return node == 0 ? source_place{} : at(node).back();
}

// A call that was left in tail position knows the line of a declaration, which may be in a header.
source_place places::function_of(std::uint32_t node) {
    for (std::uint32_t other = 1; tree_.is_left(node) && other != tree_.size(); ++other)
        if (tree_.same_function(other, node) && !tree_.is_left(other)) node = other;
    source_place place = line_of(node);
    place.line = 0;
    // Without a name, the address of the function says more than that of one of its calls.
    const stack_tree::node &n = tree_[node];
    if (node != 0 && place.function == unknown_place(tree_.module(n.module), n.address).function)
        return unknown_place(tree_.module(n.module), n.code);
    return place;
}

source_place places::collector(std::uint32_t node, std::uint32_t depth) {
    source_place found, called; // by what comes next
    for (; node != 0 && tree_[node].depth >= depth; node = tree_[node].parent) {
        for (const source_place &p : at(node)) {
            const part &known = part_of(p);
            if (known.is_collector && tree_[node].depth > depth)
                found = p;
            else if (known.allocates && !called.function.empty())
                found = called;
            if (!passes_on(p)) called = p;
        }
    }
    found.line = 0;
    return found;
}

bool places::is_cpp(std::uint32_t function, std::span<const std::uint32_t> sites) {
    const auto is_of_cpp = [](const source_place &p) {
        return p.function.find("::") != std::string::npos || is_operator_new(p) ||
               p.file.ends_with(".cpp") || p.file.ends_with(".cc") || p.file.ends_with(".cxx");
    };
    if (sites.empty()) return false;
    bool is_outside = function == 0; // of what the region's function calls
    for (std::uint32_t n = sites.front(); n != 0; n = tree_[n].parent) {
        is_outside = is_outside || tree_.same_function(n, function);
        for (const source_place &p : at(n)) {
            if (is_of_cpp(p)) return true;
            if (is_outside && p.file.ends_with(".c")) return false;
        }
    }
    return false;
}

bool places::can_be_changed(std::uint32_t node) {
    if (is_language_library(module_of(node))) return false;
    const source_place &function = at(node).back();
    return !is_of_library(function) && function.function != "_start";
}

} // namespace toft::lab
