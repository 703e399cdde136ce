// SPDX-License-Identifier: MIT
#pragma once

#include "symbols.hpp"

#include <string>

// Functions and places as readers see them.
namespace toft::lab {

// A template's function without its result, and with "<...>" for its arguments where the whole
// would be long.
std::string short_name(const std::string &function);

// "xmlNewNode (tree.c:1234)"
std::string place_text(const source_place &);

} // namespace toft::lab
