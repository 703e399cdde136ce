// SPDX-License-Identifier: MIT
#pragma once

#include "symbols.hpp"

#include <string>
#include <string_view>
#include <tuple>

// Functions and places as readers see them.
namespace toft::lab {

// "std::copy<int>" for "int* std::copy<int>": a template's name begins with its result's type.
std::string_view without_result(std::string_view function);

// "std::copy<...>", for all instances; in Rust "<Vec<...> as Drop>::drop".
std::string name_of_template(std::string_view function);

// "std::basic_string" for "std::__cxx11::basic_string": what a library's versions are told by.
std::string without_inline_namespaces(std::string name);

// A template's function without its result, and with "<...>" for its arguments where the whole
// would be long.
std::string short_name(const std::string &function);

// "xmlNewNode (tree.c:1234)"
std::string place_text(const source_place &);

// Instances of a template have names of their own, and one text.
bool same_place(const source_place &, const source_place &);

// By which lines are looked up.
using line_key = std::tuple<std::string, std::string, unsigned>;
line_key line_key_of(const source_place &);
// What a reader takes for one line, as instances of a template are.
using shown_key = std::pair<std::string, std::string>;
shown_key shown_key_of(const source_place &);

} // namespace toft::lab
