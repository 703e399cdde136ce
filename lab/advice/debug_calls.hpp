// SPDX-License-Identifier: MIT
#pragma once

#include "symbols.hpp"

#include <cstdint>
#include <elfutils/libdw.h>
#include <map>
#include <string>
#include <vector>

// What debug information (DWARF) says of the calls at an address.
namespace toft::lab {

// A unit's functions, and what was inlined into them. libdw reads all of a unit for each address.
class debug_unit {
  public:
    explicit debug_unit(const Dwarf_Die &unit);

    // Innermost first: the inlined calls, and the function that they are in. Empty where there is
    // none.
    std::vector<Dwarf_Die> calls_at(Dwarf_Addr);
    Dwarf_Die *die() { return &unit_; }

  private:
    struct piece { // of code
        Dwarf_Addr end = 0;
        Dwarf_Die call{};
    };
    using pieces = std::multimap<Dwarf_Addr, piece>; // by their begins

    void find_functions(Dwarf_Die *below);
    void find_inlined(Dwarf_Die *below, pieces &found);

    Dwarf_Die unit_;
    pieces functions_;
    std::map<Dwarf_Off, pieces> inlined_; // by function, once it was asked for; outer ones first
};

std::string name_of(Dwarf_Die *call);
source_place called_from(Dwarf_Die *unit, Dwarf_Die *inlined); // without a function's name
std::vector<code_range> code_of(Dwarf_Die *call);

// The numbers of a text_call. What was declared at one line under one name is of one text, also in
// several units and as instances of a template.
std::uint64_t text_of(Dwarf_Die *call);
std::uint64_t copy_of(Dwarf_Die *inlined);

// A linker's name as it is in the source, without parameters: "parse" for "_Z5parsePKc".
std::string source_name(const char *linkage);

} // namespace toft::lab
