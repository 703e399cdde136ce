// SPDX-License-Identifier: MIT
#pragma once

#include "symbols.hpp"

#include <cstdint>
#include <elfutils/libdw.h>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// What debug information (DWARF) says of the calls at an address.
namespace toft::lab {

// A unit's functions, and what was inlined into them. libdw reads all of a unit for each address.
// What has no name is left out, and so is a function in which such a call was inlined: their names
// lie in a file that isn't there, or that the linker has lost, as with gcc's -flto -gsplit-dwarf.
// The module's symbols say more then.
class debug_unit {
  public:
    explicit debug_unit(const Dwarf_Die &unit);

    // Innermost first: the inlined calls, and the function that they are in. Empty where there is
    // none.
    std::vector<Dwarf_Die> calls_at(Dwarf_Addr);
    // The function that is called where the call returns to this address.
    std::optional<Dwarf_Die> callee(Dwarf_Addr return_address);
    // What the function at this address calls in tail position.
    struct tail_call {
        std::vector<Dwarf_Die> inlined; // that it is in, outermost first
        Dwarf_Die callee{};
    };
    std::vector<tail_call> tail_calls(Dwarf_Addr);
    // Where a function of this text begins.
    std::optional<Dwarf_Addr> begin_of(std::uint64_t text);
    // The namespaces and classes around a function that this unit declares and that has no linkage
    // name, as "std::vector<row>::". Empty where there are none, and within a function.
    std::string outside(Dwarf_Die *declaration) const;

  private:
    struct piece { // of code
        Dwarf_Addr end = 0;
        Dwarf_Die call{};
    };
    using pieces = std::multimap<Dwarf_Addr, piece>; // by their begins

    struct body {                                // of a function
        pieces inlined;                          // outer ones first
        std::map<Dwarf_Addr, Dwarf_Die> callees; // by the address to which a call returns
        std::vector<std::pair<Dwarf_Addr, Dwarf_Die>> tail_calls; // where, and the callee
        bool has_nameless = false;                                // inlined calls
    };

    void find_functions(Dwarf_Die *below, const std::string *outside); // null: in a function
    static void read_body(Dwarf_Die *below, body &);
    static void read_call(Dwarf_Die *site, body &);
    body *body_at(Dwarf_Addr, Dwarf_Die *function); // null: no function is known there by name

    Dwarf_Die unit_;
    pieces functions_;
    std::map<Dwarf_Off, std::string> outside_;
    std::map<Dwarf_Off, body> bodies_;           // of functions that were asked for
    std::map<std::uint64_t, Dwarf_Addr> begins_; // by text; empty: nobody has asked
};

// gcc gives no linkage name to instances of templates for types that lie in a function, nor to such
// types' own functions: then the namespaces and classes around them are known by their unit alone.
source_place function_of(Dwarf_Die *call, const std::string &outside = {}); // its name alone
bool has_linkage_name(Dwarf_Die *call);
Dwarf_Die declaration_of(Dwarf_Die *call); // where it is in its namespace and class
source_place called_from(Dwarf_Die *inlined, unsigned *column = nullptr); // without a name
source_place declared_at(Dwarf_Die *call);
std::vector<code_range> code_of(Dwarf_Die *call);

// The number of a function's text. It goes by the name where other units see the function, and by
// the line of its declaration where each unit has its own: so it does for inline functions and for
// instances of a template.
std::uint64_t text_of(Dwarf_Die *call);
std::uint64_t number_of_place(const source_place &, unsigned column);
std::uint64_t text_of_symbol(const char *name);
const char *symbol_of(Dwarf_Die *function); // its name for the linker; null: it has none
std::uint64_t copy_of(Dwarf_Die *inlined);

// A linker's name as it is in the source, without parameters: "parse" for "_Z5parsePKc". No file
// and no line.
source_place function_of_symbol(const char *linkage);

} // namespace toft::lab
